import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@muster/testing';
import { BashSession } from './bash-session.fixture.spec';
import { MusterProcess } from './muster-process';

const ROOT = join(__dirname, '..', '..', '..');
const SIMULATOR = join(ROOT, 'tools', 'simulator', 'dist', 'main.js');
const PULL_SECRET = '{"auths":{"cloud.openshift.com":{"auth":"dXNlcjpwYXNz","email":"you@example.com"}}}';
const TRIES_MAX = 90;
const missing = ['jq', 'curl', 'bash'].filter((program) => spawnSync(program, ['--version']).error);
const withPrograms = missing.length > 0 ? it.skip : it;
const note = missing.length > 0 ? ` (skipped: ${missing.join(', ')} missing)` : '';

interface DocumentedCommand {
  readonly command: string;
  /** Absent lines: the page shows no output. */
  readonly output: string;
}

/** The fenced blocks below a heading, up to the next heading of the same or a higher level. */
function blocksBelow(page: string, heading: string): readonly string[] {
  const lines = readFileSync(join(ROOT, page), 'utf8').split('\n');
  const start = lines.indexOf(heading);
  if (start < 0) throw new Error(`${page} has no heading "${heading}".`);
  const length = lines.slice(start + 1).findIndex((line) => /^##? /.test(line));
  const section = lines.slice(start + 1, length < 0 ? undefined : start + 1 + length).join('\n');
  return [...section.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
}

/** Commands begin with `$ `; indented lines continue them, other lines are their output. */
function commandsOf(block: string): readonly DocumentedCommand[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const [first = '', ...rest] = text.trimEnd().split('\n');
      const continued = rest.findIndex((line) => !line.startsWith('    '));
      const count = continued < 0 ? rest.length : continued;
      return { command: [first, ...rest.slice(0, count)].join('\n'), output: rest.slice(count).join('\n') };
    });
}

/** Replaces what differs between two runs: ids, addresses and numbers. */
const comparable = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replace(/https?:\/\/[\w.]+:\d+/g, '<url>')
    .replace(/\d+(\.\d+)?/g, '<number>')
    .trim();

const isRepeatable = (command: string): boolean => !/ -X POST | -d |--data|--request/.test(command);

describe('commands in the documentation', () => {
  jest.setTimeout(300_000);
  const folder = temporaryDirectory();
  let muster: MusterProcess;
  let session: BashSession;

  beforeEach(async () => {
    muster = await MusterProcess.prepare({ dataDirectory: join(folder.path, 'data') });
    await muster.start();
    session = new BashSession(folder.path);
  });

  afterEach(async () => {
    await session.end();
    await muster.stop();
  });
  afterAll(() => folder.remove());

  /** Runs a command until it prints `output`; commands that change something run once. Returns the last output. */
  async function runUntil(command: string, output: string): Promise<string> {
    for (let tries = 1; ; tries += 1) {
      const printed = comparable(await session.run(command));
      if (printed === comparable(output) || !isRepeatable(command) || tries === TRIES_MAX) return printed;
      await session.run('sleep 1');
    }
  }

  withPrograms(`of the tour in the README print what it shows${note}`, async () => {
    const commands = blocksBelow('README.md', '## A five-minute tour').flatMap(commandsOf);
    expect(commands.length).toBeGreaterThan(15);
    const [start, ...others] = commands;
    expect(start?.command).toBe('npm start');
    for (const { command, output } of others) {
      const own = command
        .replaceAll('http://localhost:8090', muster.restUrl)
        .replace('node tools/simulator/dist/main.js', `${process.execPath} ${SIMULATOR}`);
      if (own.includes(SIMULATOR)) await session.run(`${own} >simulator.log 2>&1 &`);
      else if (output === '') await session.run(own);
      else expect(`${command}\n${await runUntil(own, output)}`).toBe(`${command}\n${comparable(output)}`);
    }
  });

  withPrograms(`of the guide for hardware install three simulated hosts${note}`, async () => {
    const guide = 'docs/install-on-hardware.md';
    const own = (script: string): string => script.replaceAll('http://192.0.2.7:8090', muster.restUrl);
    writeFileSync(join(folder.path, 'pull-secret.json'), PULL_SECRET);
    const [create = ''] = blocksBelow(guide, '## 3. Create the cluster and boot the servers');
    const printed = await session.run(own(create));
    const imageUrl = printed.trim().split('\n').at(-1);
    expect(imageUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/.*minimal\.iso$/);
    const options = '--count 3 --time-scale 150 --network 192.0.2.0/24 --prefix server';
    await session.run(`${process.execPath} ${SIMULATOR} --image-url ${imageUrl} ${options} >simulator.log 2>&1 &`);

    const [check = ''] = blocksBelow(guide, '## 4. Check the hosts');
    const hosts = [1, 2, 3].map(() => expect.stringMatching(/^server-\d\tknown\tHost is ready to be installed$/));
    await expectLines(check, [...hosts, 'ready', 'Cluster ready to be installed']);

    const [install = ''] = blocksBelow(guide, '## 5. Install');
    const [start = '', watch = '', kubeconfig = ''] = install.trim().split('\n');
    expect(start).toContain('/actions/install');
    await session.run(own(start));
    const follow = watch.replace(/^watch "(.*)"$/, '$1').replaceAll('\\"', '"');
    const done = [1, 2, 3].map(() => expect.stringMatching(/^server-\d\tDone/));
    await expectLines(follow, ['Cluster is installed', ...done]);
    await session.run(own(kubeconfig));
    expect(readFileSync(join(folder.path, 'kubeconfig'), 'utf8')).toContain('kind: Config');
  });

  /** Repeats a command until its lines are the expected ones; fails with the last lines. */
  async function expectLines(command: string, lines: readonly unknown[]): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const printed = (await session.run(command)).trim().split('\n');
      try {
        expect(printed).toEqual(lines);
        return;
      } catch (error) {
        if (tries === TRIES_MAX) throw error;
        await session.run('sleep 1');
      }
    }
  }
});
