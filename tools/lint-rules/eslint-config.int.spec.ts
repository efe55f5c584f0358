import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

interface Finding {
  readonly ruleId: string;
  readonly message: string;
}

/** Returns the lint findings for a file with that name and content. */
function lint(file: string, content: string): Finding[] {
  const { stdout, stderr } = spawnSync(
    join(ROOT, 'node_modules/.bin/eslint'),
    ['--stdin', '--stdin-filename', file, '--format', 'json'],
    { cwd: ROOT, input: content, encoding: 'utf8', env: { ...process.env, NX_DAEMON: 'false', NX_NO_CLOUD: 'true' } },
  );
  const [report] = JSON.parse(stdout || `[{"messages":[{"ruleId":"crash","message":${JSON.stringify(stderr)}}]}]`);
  return report.messages;
}

const rules = (findings: readonly Finding[]): string[] => findings.map(({ ruleId }) => ruleId);

describe('the dependency rule of the workspace', () => {
  jest.setTimeout(120_000);

  it('permits the domain to import contracts', () => {
    expect(
      lint(
        'libs/domain/src/example.ts',
        "import type { HostKey } from '@muster/contracts';\nexport type Key = HostKey;\n",
      ),
    ).toEqual([]);
  });

  it('refuses an import of an adapter in the domain', () => {
    const findings = lint(
      'libs/domain/src/example.ts',
      "import { sqliteEventStore } from '@muster/adapter-sqlite';\nexport const store = sqliteEventStore;\n",
    );
    expect(rules(findings)).toContain('@nx/enforce-module-boundaries');
  });

  it('refuses an import of one service in another', () => {
    const findings = lint(
      'services/registration/src/example.ts',
      "import { startEvents } from '@muster/service-events';\nexport const start = startEvents;\n",
    );
    expect(rules(findings)).toContain('@nx/enforce-module-boundaries');
  });

  it('refuses an import of a driver in a service', () => {
    const findings = lint(
      'services/registration/src/example.ts',
      "import { connect } from 'nats';\nexport const open = connect;\n",
    );
    expect(rules(findings)).toContain('no-restricted-imports');
  });

  it('permits an import of a driver only in its own adapter', () => {
    const content = "import Database from 'libsql';\nexport const open = Database;\n";
    expect(lint('libs/adapters/sqlite/src/example.ts', content)).toEqual([]);
    expect(rules(lint('libs/adapters/nats/src/example.ts', content))).toContain('no-restricted-imports');
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
  ])('refuses %s in the pure libraries', (_what, content, rule) => {
    expect(rules(lint('libs/validation-rules/src/example.ts', content))).toContain(rule);
  });
});

describe('the rule on type assertions', () => {
  const content = 'export const port = (value: unknown): number => value as number;\n';
  const rule = '@typescript-eslint/consistent-type-assertions';

  it.each(['libs/domain/src/example.ts', 'services/gateway/src/example.ts', 'tools/demo/src/example.ts'])(
    'refuses a cast in %s',
    (file) => {
      expect(rules(lint(file, content))).toEqual([rule]);
    },
  );

  it.each(['libs/adapters/sqlite/src/example.ts', 'libs/contracts/src/plain.ts', 'libs/domain/src/example.spec.ts'])(
    'allows a cast in %s',
    (file) => {
      expect(rules(lint(file, content))).toEqual([]);
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
