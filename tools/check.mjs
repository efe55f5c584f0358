/**
 * Static checks: formatting, layering, import cycles, types, contracts, language, generated files. As many run at a time as there are
 * cores, because each of them uses one.
 */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BIN = join(ROOT, 'node_modules', '.bin');
const environment = { ...process.env, NX_DAEMON: 'false', NX_NO_CLOUD: 'true', CI: 'true' };
const SOURCE_FILES_MAX = 850;
const SINGLE_FILE_FOLDERS_MAX = 0.12;
const generated = mkdtempSync(join(tmpdir(), 'muster-check-'));

/** The longest come first. */
const CHECKS = [
  ['formatting', () => run('prettier', ['--check', '--log-level', 'warn', '.'])],
  [
    'lint and layering',
    () =>
      run('eslint', [
        '--max-warnings',
        '0',
        '--cache',
        '--cache-location',
        'node_modules/.cache/eslint/',
        'libs',
        'services',
        'tools',
      ]),
  ],
  [
    'imports: no cycles, nothing imports a tool',
    () => run('depcruise', ['--config', 'tools/dependency-rules.cjs', 'libs', 'services', 'tools']),
  ],
  ['types', () => run('tsc', ['-p', 'tsconfig.json'])],
  ['no regular expression of exponential time', () => run('node', ['tools/check-expressions.mjs'])],
  ['contracts: lint', () => run('buf', ['lint'])],
  ['contracts: nothing released is broken', () => run('buf', ['breaking', '--against', 'proto/released.binpb'])],
  ['contracts: generated code is current', generatedCodeIsCurrent],
  ['documentation: paths and links exist', () => run('node', ['tools/check-documentation.mjs'])],
  ['few and full files', fewFullFiles],
  ['language', () => run('node', ['tools/language/check-language.mjs'])],
  ['diagrams and reference pages are current', () => run('node', ['tools/diagrams/dist/main.js', '--check'])],
];

let failed = 0;
const left = [...CHECKS];
await Promise.all(Array.from({ length: availableParallelism() }, checkNext));
rmSync(generated, { recursive: true, force: true });
process.exit(failed === 0 ? 0 : 1);

async function checkNext() {
  for (let next = left.shift(); next; next = left.shift()) {
    const [name, check] = next;
    const startedAt = Date.now();
    const problem = await check();
    console.log(`${problem ? '✗' : '✓'} ${name} (${((Date.now() - startedAt) / 1_000).toFixed(1)} s)`);
    if (problem) {
      failed += 1;
      console.log(problem);
    }
  }
}

/** Returns the output of the program when it failed; undefined when it succeeded. */
function run(program, args) {
  const path = existsSync(join(BIN, program)) ? join(BIN, program) : program;
  const options = { cwd: ROOT, env: environment, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile(path, args, options, (error, stdout, stderr) =>
      resolve(error ? `${stdout}${stderr}`.trim() || error.message : undefined),
    );
  });
}

async function generatedCodeIsCurrent() {
  const problem = await run('buf', ['generate', '-o', generated]);
  if (problem) return problem;
  try {
    execFileSync('diff', ['-r', join(generated, 'libs/contracts/src/gen'), 'libs/contracts/src/gen'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    return undefined;
  } catch (error) {
    return `libs/contracts/src/gen does not match proto/; run: npx buf generate\n${error.stdout ?? ''}`;
  }
}

/**
 * Limits the number of source files and the share of folders with one file. An ESLint rule limits the length of a file.
 */
function fewFullFiles() {
  const files = execFileSync('git', ['ls-files', '*.ts', '*.mjs'], { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n')
    .filter((file) => !file.includes('/gen/'));
  const sources = files.filter((file) => !file.endsWith('.spec.ts')).length;
  const filesOf = new Map();
  for (const file of files) filesOf.set(dirname(file), (filesOf.get(dirname(file)) ?? 0) + 1);
  const single = [...filesOf].filter(([, count]) => count === 1).map(([folder]) => folder);
  const share = single.length / filesOf.size;
  if (sources > SOURCE_FILES_MAX)
    return `${sources} source files. Allowed: at most ${SOURCE_FILES_MAX}. Merge files of one topic.`;
  return share > SINGLE_FILE_FOLDERS_MAX
    ? `${single.length} of ${filesOf.size} folders have one file. Move these files up:\n${single.join('\n')}`
    : undefined;
}
