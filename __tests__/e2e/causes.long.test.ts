/**
 * Programs as they were reported, on real torch: what the summary calls the cause is one. `causes.test.ts` has the same on recorded
 * evidence.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { cleanUp, freshFolder, runStep } from './kit.js';

afterAll(cleanUp);
const MINUTES = 60_000;

function withFile(text: string): string {
  const workspace = freshFolder();
  writeFileSync(join(workspace, 'job.py'), text);
  return workspace;
}

const COMPILE_COLD = `
import os, tempfile
os.environ['TORCHINDUCTOR_CACHE_DIR'] = tempfile.mkdtemp()
import torch
@torch.compile
def f(x): return (x * 2 + 1).relu().sum()
print(float(f(torch.ones(4000)))); torch.empty(8, device='cuda')
`;

// A race between the watch and helper processes that map libtorch for about a second.
it.each([1, 2, 3, 4, 5])(
  'torch.compile with a cold cache is green, with no warning (run %d)',
  async () => {
    const { report, outputs, manifest } = await runStep({
      inputs: { run: 'python job.py' },
      workspace: withFile(COMPILE_COLD),
    });
    expect(report.log).toContain('12000.0');
    expect([outputs['verdict'], manifest.unarmed, report.annotations]).toEqual(['ok', [], []]);
    expect(report.summary).toMatch(/^✅/);
  },
  3 * MINUTES,
);

it(
  "a worker's error that its parent raised again is told by the worker",
  async () => {
    const { report, outputs, manifest } = await runStep({
      inputs: { run: 'python job.py' },
      workspace: withFile(`
import concurrent.futures as cf, multiprocessing as mp
def work(n):
    import torch
    return [torch.empty(n, device='cuda') for _ in range(64)]
if __name__ == '__main__':
    import torch
    with cf.ProcessPoolExecutor(1, mp_context=mp.get_context('spawn')) as ex: ex.submit(work, 8 << 20).result()
`),
    });
    expect(outputs).toMatchObject({ verdict: 'oom', 'oom-count': '1', 'snapshot-count': '1' });
    const worker = manifest.processes.find((p: { oom_count: number }) => p.oom_count === 1);
    expect(report.summary).toContain(
      `the error of its worker pid ${worker.pid}, which was raised again here`,
    );
    expect(report.summary).toMatch(/job\.py:5.*asked for \*\*32\.00\sMiB\*\*/);
    expect(report.summary).not.toMatch(/cuBLAS|NCCL/);
  },
  2 * MINUTES,
);

it(
  'a pluggable allocator: one warning, one line on stderr, and no claim of no out-of-memory',
  async () => {
    const plug = `#include <stdlib.h>
#include <sys/types.h>
void* my_malloc(ssize_t n,int d,void*s){return malloc(n);}
void my_free(void*p,ssize_t n,int d,void*s){free(p);}
`;
    const workspace = withFile(`
import torch, os
a = torch.cuda.memory.CUDAPluggableAllocator(os.path.abspath('plug.so'), 'my_malloc', 'my_free')
torch.cuda.memory.change_current_allocator(a)
torch.empty(1 << 20, dtype=torch.uint8, device='cuda')
`);
    writeFileSync(join(workspace, 'plug.c'), plug);
    const { report, outputs } = await runStep({
      inputs: { run: 'cc -shared -fPIC -o plug.so plug.c\npython job.py' },
      workspace,
    });
    expect(outputs).toMatchObject({ verdict: 'unknown', 'exit-code': '0', 'oom-count': '0' });
    expect(report.annotations.map(({ level }) => level)).toEqual(['warning']);
    expect(report.summary).toMatch(/^## 🟡 Whether memory ran out is not known\n/);
    expect(report.summary).not.toMatch(/No out-of-memory|no out-of-memory was seen/);
    const ours = report.log.split('\n').filter((line) => line.startsWith('oom-autopsy: '));
    expect(ours.filter((line) => !/^oom-autopsy: (verdict|publishing)/.test(line))).toHaveLength(1);
  },
  2 * MINUTES,
);

it.each([
  [
    'cublas',
    "RuntimeError('CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`')",
    'cuBLAS',
  ],
  [
    'driver',
    "getattr(torch, 'AcceleratorError', RuntimeError)('CUDA error: out of memory')",
    'the CUDA driver',
  ],
  ['rmm', "MemoryError('std::bad_alloc: out_of_memory: CUDA error at: cuda_memory_resource.hpp')", 'RMM'],
])(
  'memory exhausted outside of the allocator is told by its kind: %s',
  async (kind, error, name) => {
    const { report, outputs, manifest } = await runStep({
      inputs: { run: 'python job.py' },
      workspace: withFile(`import torch\ntorch.empty(8, device='cuda')\nraise ${error}\n`),
    });
    expect(outputs).toMatchObject({
      verdict: 'oom',
      'oom-count': '1',
      'snapshot-count': '0',
      'exit-code': '1',
    });
    expect(manifest.processes[0].end.outside_oom).toMatchObject({ kind, certain: true });
    expect(report.summary).toContain(`**${name}**`);
    expect(report.summary).not.toMatch(/no out-of-memory/i);
    // No text of the message leaves the process.
    expect(JSON.stringify(manifest)).not.toMatch(/cublasCreate|cuda_memory_resource/);
  },
  2 * MINUTES,
);

it(
  'expandable segments that were switched on at run time are not advised',
  async () => {
    const { report, manifest } = await runStep({
      inputs: { run: 'python job.py' },
      workspace: withFile(`
import torch
torch._C._accelerator_setAllocatorSettings('expandable_segments:True')
a = [torch.empty(2 << 20, dtype=torch.uint8, device='cuda') for _ in range(110)]
del a[::2]
torch.empty(60 << 20, dtype=torch.uint8, device='cuda')
`),
    });
    expect(manifest.processes[0].build.expandable_segments).toBe(true);
    expect(report.summary).not.toMatch(/PYTORCH_CUDA_ALLOC_CONF=expandable_segments|lets the allocator use/);
  },
  2 * MINUTES,
);
