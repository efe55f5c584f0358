import { spawn, spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = join(__dirname, '..', '..');

interface Finding {
  readonly ruleId: string;
  readonly message: string;
}

/** Lints one JSON line `{filePath, content}` after the other. To start ESLint and to read the configuration take most of the time. */
const LINTER = `
  const { ESLint } = require('eslint');
  const eslint = new ESLint();
  const lint = async (line) => {
    const { filePath, content } = JSON.parse(line);
    const [report] = await eslint.lintText(content, { filePath });
    console.log(JSON.stringify(report.messages));
  };
  let last = Promise.resolve();
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => (last = last.then(() => lint(line))));
`;
const linter = spawn(process.execPath, ['-e', LINTER], {
  cwd: ROOT,
  env: { ...process.env, NX_DAEMON: 'false', NX_NO_CLOUD: 'true' },
  stdio: ['pipe', 'pipe', 'inherit'],
});
const reports = createInterface({ input: linter.stdout })[Symbol.asyncIterator]();
afterAll(() => linter.kill());

/** Returns the lint findings for a file with that name and content. */
async function lint(filePath: string, content: string): Promise<Finding[]> {
  linter.stdin.write(`${JSON.stringify({ filePath, content })}\n`);
  const { value, done } = await reports.next();
  if (done) throw new Error('ESLint ended; its error is above.');
  return JSON.parse(String(value)) as Finding[];
}

const rules = (findings: readonly Finding[]): string[] => findings.map(({ ruleId }) => ruleId);

describe('the dependency rule of the workspace', () => {
  jest.setTimeout(120_000);

  it('permits the domain to import contracts', async () => {
    expect(
      await lint(
        'libs/domain/src/example.ts',
        "import type { HostKey } from '@muster/contracts';\nexport type Key = HostKey;\n",
      ),
    ).toEqual([]);
  });

  it('refuses an import of an adapter in the domain', async () => {
    const findings = await lint(
      'libs/domain/src/example.ts',
      "import { sqliteEventStore } from '@muster/adapter-sqlite';\nexport const store = sqliteEventStore;\n",
    );
    expect(rules(findings)).toContain('@nx/enforce-module-boundaries');
  });

  it('refuses an import of one service in another', async () => {
    const findings = await lint(
      'services/registration/src/example.ts',
      "import { startEvents } from '@muster/service-events';\nexport const start = startEvents;\n",
    );
    expect(rules(findings)).toContain('@nx/enforce-module-boundaries');
  });

  it('refuses an import of a driver in a service', async () => {
    const findings = await lint(
      'services/registration/src/example.ts',
      "import { connect } from 'nats';\nexport const open = connect;\n",
    );
    expect(rules(findings)).toContain('no-restricted-imports');
  });

  it('permits an import of a driver only in its own adapter', async () => {
    const content = "import Database from 'libsql';\nexport const open = Database;\n";
    expect(await lint('libs/adapters/sqlite/src/example.ts', content)).toEqual([]);
    expect(rules(await lint('libs/adapters/nats/src/example.ts', content))).toContain('no-restricted-imports');
  });

  it.each([
    [
      'a node builtin',
      "import { readFileSync } from 'node:fs';\nexport const read = readFileSync;\n",
      'no-restricted-imports',
    ],
    ['the clock', 'export const now = (): number => Date.now();\n', 'no-restricted-properties'],
    ['randomness', 'export const chance = (): number => Math.random();\n', 'no-restricted-properties'],
    ['the process', 'export const home = process.env.HOME;\n', 'no-restricted-globals'],
  ])('refuses %s in the pure libraries', async (_what, content, rule) => {
    expect(rules(await lint('libs/validation-rules/src/example.ts', content))).toContain(rule);
  });

  it('applies to every library of the pure layer', async () => {
    const { stdout } = spawnSync('git', ['grep', '-l', '"layer:pure"', '--', 'libs/*/package.json'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    const libraries = stdout.trim().split('\n').map(dirname);
    expect(libraries).toContain('libs/domain');
    const content = 'export const now = (): number => Date.now();\n';
    const found: string[] = [];
    for (const library of libraries)
      if (rules(await lint(`${library}/src/example.ts`, content)).includes('no-restricted-properties'))
        found.push(library);
    expect(found).toEqual(libraries);
  });
});

describe('the rule on type assertions', () => {
  const content = 'export const port = (value: unknown): number => value as number;\n';
  const rule = '@typescript-eslint/consistent-type-assertions';

  it.each(['libs/domain/src/example.ts', 'services/gateway/src/example.ts', 'tools/demo/src/example.ts'])(
    'refuses a cast in %s',
    async (file) => {
      expect(rules(await lint(file, content))).toEqual([rule]);
    },
  );

  it.each(['libs/adapters/sqlite/src/example.ts', 'libs/contracts/src/plain.ts', 'libs/domain/src/example.spec.ts'])(
    'allows a cast in %s',
    async (file) => {
      expect(rules(await lint(file, content))).toEqual([]);
    },
  );

  it('is switched off with a reason only', () => {
    const { stdout } = spawnSync('git', ['grep', '-nE', `eslint-disable.*${rule}`, '--', '*.ts', ':!*.spec.ts'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    const lines = stdout.trim().split('\n');
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter((line) => !/ -- \S+ \S+/.test(line))).toEqual([]);
  });
});

describe('the rule on paths of the repository', () => {
  const file = 'tools/example.mjs';

  it.each(["new URL('..', import.meta.url).pathname", 'new URL(import.meta.url).pathname'])(
    'refuses %s, which is another path when a folder has a space in its name',
    async (path) => {
      expect(rules(await lint(file, `export const root = ${path};\n`))).toEqual(['no-restricted-syntax']);
    },
  );

  it('allows the path that fileURLToPath returns', async () => {
    const content = "import { fileURLToPath } from 'node:url';\nexport const root = fileURLToPath(import.meta.url);\n";
    expect(rules(await lint(file, content))).toEqual([]);
  });

  it('allows the path of a request', async () => {
    expect(rules(await lint(file, "export const path = new URL('http://a/b').pathname;\n"))).toEqual([]);
  });
});
