// Reads the file as `tool: customSmallerIsBetter` does: a list of name, unit, value (extractCustomBenchmarkResult).
import { readFileSync, writeFileSync } from 'node:fs';

const { INPUT_TOOL: tool, 'INPUT_OUTPUT-FILE-PATH': path, CHART_DOUBLE } = process.env;
if (tool !== 'customSmallerIsBetter') throw new Error(`tool ${tool}`);
const rows = JSON.parse(readFileSync(path, 'utf8'));
if (!Array.isArray(rows) || rows.length === 0) throw new Error('no benchmark result was found');
for (const { name, unit, value } of rows)
  if (typeof name !== 'string' || typeof unit !== 'string' || !Number.isFinite(value))
    throw new Error(JSON.stringify(rows));
writeFileSync(CHART_DOUBLE, JSON.stringify(rows));
