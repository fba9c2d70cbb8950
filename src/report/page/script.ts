/**
 * The page's script: the timeline's drawing, hover and keys; opening what is folded for print; handing an
 * embedded snapshot to the viewer. It fetches nothing by itself; a test in a browser holds it to that. Values
 * come from the JSON element `data`.
 */

/**
 * What torch's viewer asks of the document around it. Its script appends a style element of its own, which the
 * page's policy refuses; without these rules the state history is millions of pixels tall and a block's stack
 * lies below the frame (issue 16). This one is known by its hash.
 */
export const VIEWER_STYLE =
  'html,body{height:100%;margin:0;overflow:clip}body{display:flex;flex-direction:column}pre{margin:0}';

/** Runs inside the viewer's frame, which has an origin of its own and no way to send anything anywhere. */
export const VIEWER_LOADER = `addEventListener('message',async(event)=>{if(event.source!==parent)return;const{url,name,base64,view}=event.data;let at='load';try{const viewer=await import(url);at='read';viewer.add_local_files([{name,base64}],view);parent.postMessage({oomAutopsy:'shown'},'*')}catch(error){parent.postMessage({oomAutopsy:at,why:String(error)},'*')}},{once:true});parent.postMessage({oomAutopsy:'ready'},'*');`;

export const PAGE_SCRIPT = `(() => {
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
const amount = (bytes) => {
  let n = bytes, unit = 0;
  while (n >= 1024 && unit < units.length - 1) { n /= 1024; unit += 1; }
  return n.toFixed(unit === 0 ? 0 : 2) + ' ' + units[unit];
};

addEventListener('beforeprint', () => { for (const d of document.querySelectorAll('details')) d.open = true; });

// Timeline: one series is drawn at a time, one column for each pixel at most, the fullest moment of each column.
const canvas = document.getElementById('timeline-canvas');
if (canvas && data.series.length > 0) {
  const select = document.getElementById('timeline-select');
  const readout = document.getElementById('timeline-readout');
  const context = canvas.getContext('2d');
  const kinds = data.categories.length;
  let series = data.series[0], columns = [], at = 0;
  const total = (point) => { let sum = 0; for (let k = 0; k < kinds; k++) sum += series.bytes[point * kinds + k]; return sum; };
  const prepare = (width) => {
    const points = series.step.length, count = Math.max(1, Math.min(points, Math.floor(width)));
    columns = new Array(count);
    for (let c = 0; c < count; c++) {
      const from = Math.floor(c * points / count), to = Math.max(from + 1, Math.floor((c + 1) * points / count));
      let best = from, most = -1;
      for (let p = from; p < to; p++) { const sum = total(p); if (sum > most) { most = sum; best = p; } }
      columns[c] = best;
    }
  };
  const left = 76, bottom = 26, top = 10;
  const draw = () => {
    const ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
    if (width === 0) return;
    canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const style = getComputedStyle(document.documentElement), color = (name) => style.getPropertyValue('--' + name).trim();
    const inner = width - left - 8, tall = height - top - bottom, scale = Math.max(1, series.peak) * 1.04;
    prepare(inner);
    const x = (c) => left + inner * c / columns.length, y = (bytes) => top + tall - tall * bytes / scale;
    context.fillStyle = color('bg'); context.fillRect(0, 0, width, height);
    context.font = '12px system-ui, sans-serif'; context.textAlign = 'right'; context.textBaseline = 'middle';
    for (let i = 0; i <= 4; i++) {
      const bytes = series.peak * i / 4;
      context.fillStyle = color('soft'); context.fillText(amount(bytes), left - 8, y(bytes));
      context.fillStyle = color('line'); context.fillRect(left, y(bytes), inner, 1);
    }
    const low = new Float64Array(columns.length), high = new Float64Array(columns.length);
    for (let k = 0; k < kinds; k++) {
      for (let c = 0; c < columns.length; c++) high[c] = low[c] + series.bytes[columns[c] * kinds + k];
      context.beginPath(); context.moveTo(x(0), y(low[0]));
      for (let c = 0; c < columns.length; c++) { context.lineTo(x(c), y(high[c])); context.lineTo(x(c + 1), y(high[c])); }
      for (let c = columns.length - 1; c >= 0; c--) { context.lineTo(x(c + 1), y(low[c])); context.lineTo(x(c), y(low[c])); }
      context.closePath(); context.fillStyle = color(data.categories[k]); context.fill();
      context.strokeStyle = color('bg'); context.lineWidth = .75; context.stroke();
      low.set(high);
    }
    context.textAlign = 'left'; context.textBaseline = 'alphabetic';
    let shown = -1, free = left;
    for (let c = 0; c < columns.length; c++) {
      const step = series.step[columns[c]];
      if (step === shown) continue;
      shown = step;
      context.fillStyle = color('edge'); context.fillRect(x(c), top, 1, tall + 6);
      const label = 'step ' + step;
      if (x(c) >= free) { context.fillStyle = color('soft'); context.fillText(label, x(c) + 4, height - 8); free = x(c) + context.measureText(label).width + 14; }
    }
    context.fillStyle = color('fg'); context.fillRect(x(at), top, 1.5, tall);
  };
  const tell = () => {
    at = Math.max(0, Math.min(columns.length - 1, at));
    const point = columns[at], parts = [];
    for (let k = 0; k < kinds; k++) { const bytes = series.bytes[point * kinds + k]; if (bytes > 0) parts.push(data.categories[k] + ' ' + amount(bytes)); }
    const phase = series.phases[series.phase[point]];
    const words = 'step ' + series.step[point] + (phase ? ', ' + phase : '') + ': ' + amount(total(point)) + ' = ' + parts.join(' + ');
    readout.textContent = words;
    canvas.setAttribute('aria-valuemax', String(columns.length - 1));
    canvas.setAttribute('aria-valuenow', String(at));
    canvas.setAttribute('aria-valuetext', words);
  };
  let waiting = false;
  const again = () => { if (waiting) return; waiting = true; requestAnimationFrame(() => { waiting = false; draw(); tell(); }); };
  const peak = () => { draw(); at = 0; columns.forEach((p, c) => { if (total(p) > total(columns[at])) at = c; }); again(); };
  select.addEventListener('change', () => { series = data.series[Number(select.value)]; peak(); });
  canvas.addEventListener('pointermove', (event) => {
    const inner = canvas.clientWidth - left - 8;
    at = Math.floor((event.offsetX - left) / inner * columns.length); again();
  });
  canvas.addEventListener('keydown', (event) => {
    const page = Math.max(1, Math.round(columns.length / 10));
    const moves = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, PageDown: -page, PageUp: page, Home: -columns.length, End: columns.length };
    if (!(event.key in moves)) return;
    at += moves[event.key]; event.preventDefault(); again();
  });
  new ResizeObserver(again).observe(canvas);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', again);
  peak();
}

// Snapshots: bytes in, bytes out. Nothing here looks into them.
const status = (box, words) => { box.querySelector('[data-status]').textContent = words; };
const unpack = async (index) => {
  const packed = Uint8Array.from(atob(document.getElementById('snapshot-' + index).textContent), (c) => c.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).blob();
};
const digest = async (blob) => {
  if (!globalThis.crypto || !crypto.subtle) return null;
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', await blob.arrayBuffer()));
  return Array.from(hash, (b) => b.toString(16).padStart(2, '0')).join('');
};
const checked = async (box) => {
  status(box, 'Unpacking …');
  const blob = await unpack(box.dataset.snapshot), sum = await digest(blob);
  if (sum !== null && sum !== box.dataset.digest) throw new Error('its sha256 is ' + sum + ', not the one of the manifest');
  return { blob, words: sum === null ? 'This browser cannot compute its sha256 here.' : 'sha256 checked: it is the snapshot of the manifest.' };
};
for (const box of document.querySelectorAll('[data-snapshot]')) {
  const guard = (work) => async () => {
    const buttons = box.querySelectorAll('button');
    for (const b of buttons) b.disabled = true;
    try { await work(); } catch (error) { status(box, 'Failed: ' + (error && error.message ? error.message : error)); }
    for (const b of buttons) b.disabled = false;
  };
  box.querySelector('[data-save]').addEventListener('click', guard(async () => {
    const { blob, words } = await checked(box);
    const anchor = document.createElement('a');
    anchor.href = URL.createObjectURL(blob); anchor.download = box.dataset.name; anchor.click();
    setTimeout(() => URL.revokeObjectURL(anchor.href), 60000);
    status(box, words);
  }));
  const open = box.querySelector('[data-open]');
  if (open) open.addEventListener('click', guard(async () => {
    const { blob, words } = await checked(box);
    const base64 = await new Promise((done, fail) => {
      const reader = new FileReader();
      reader.onload = () => done(String(reader.result).split(',')[1] || '');
      reader.onerror = () => fail(reader.error);
      reader.readAsDataURL(blob);
    });
    const old = box.querySelector('iframe');
    if (old) old.remove();
    const frame = document.createElement('iframe');
    frame.title = 'Memory viewer: ' + box.dataset.name;
    frame.setAttribute('sandbox', 'allow-scripts');
    frame.srcdoc = '<!doctype html><meta charset="utf-8"><sty' + 'le>' + data.viewerStyle + '</sty' + 'le><body><scr' + 'ipt type="module">' + data.loader + '</scr' + 'ipt>';
    const told = new Promise((done) => {
      addEventListener('message', function listen(event) {
        if (event.source !== frame.contentWindow || !event.data || !event.data.oomAutopsy) return;
        if (event.data.oomAutopsy === 'ready') frame.contentWindow.postMessage({ url: data.viewer, name: box.dataset.name, base64, view: 'Active Memory Timeline' }, '*');
        else { removeEventListener('message', listen); done(event.data); }
      });
    });
    box.append(frame);
    status(box, 'Loading the viewer from ' + data.viewer + ' …');
    const answer = await told;
    if (answer.oomAutopsy !== 'shown') {
      frame.remove();
      const what = answer.oomAutopsy === 'load' ? 'the viewer could not be loaded' : 'the viewer was loaded and could not read the snapshot';
      throw new Error(what + ' (' + answer.why + '). Save the file and drop it on pytorch.org/memory_viz.');
    }
    status(box, words);
  }));
}
})();`;
