import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@muster/service-muster';
import { eventually, temporaryDirectory } from '@muster/testing';
import { MUSTER_MAIN, NO_SETTINGS, nodeOptionsOf } from './muster-process';

const PACKAGE_JSON = join(__dirname, '..', '..', '..', 'package.json');

/** The script `start` without its installation and build steps, with the absolute path of the program. */
function startScript(): string {
  const { scripts } = JSON.parse(readFileSync(PACKAGE_JSON, 'utf8')) as { scripts: { start: string } };
  const last = scripts.start.split(' && ').at(-1) ?? '';
  const options = [
    '--max-semi-space-size=64',
    '--v8-pool-size=1',
    '--no-memory-reducer',
    '--max-inlined-bytecode-size-cumulative=2000',
  ];
  expect(nodeOptionsOf(MUSTER_MAIN)).toEqual(options);
  expect(last).toContain(`node ${options.join(' ')} services/muster/dist/main.js`);
  return `true && ${last.replace('services/muster/dist/main.js', MUSTER_MAIN)}`;
}

/** Reads the process table once: parents by process id. */
function parents(): ReadonlyMap<number, number> {
  const entries = readdirSync('/proc').flatMap((name): [number, number][] => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      return [[Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])]];
    } catch {
      return [];
    }
  });
  return new Map(entries);
}

function descendantsOf(root: number): readonly number[] {
  const table = parents();
  const isBelow = (pid: number): boolean => {
    for (let at = table.get(pid); at !== undefined && at > 1; at = table.get(at)) if (at === root) return true;
    return false;
  };
  return [...table.keys()].filter(isBelow);
}

/** A process may end at any time, also while its command line is read. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** A process that ended but was not collected by its parent has no command line. */
const isRunning = (pid: number): boolean => commandOf(pid) !== '';

describe('npm start', () => {
  jest.setTimeout(120_000);
  const folder = temporaryDirectory();
  let npm: ChildProcess;
  let pids: readonly number[] = [];
  let output = '';

  const pidOf = (part: string): number => {
    const found = pids.find((pid) => commandOf(pid).includes(part));
    if (found === undefined) throw new Error(`No process of ${part} runs below npm.`);
    return found;
  };

  beforeEach(async () => {
    writeFileSync(join(folder.path, 'package.json'), JSON.stringify({ scripts: { start: startScript() } }));
    const [rest, image] = [await freePort('127.0.0.1'), await freePort('127.0.0.1')];
    output = '';
    npm = spawn('npm', ['start'], {
      cwd: folder.path,
      stdio: ['ignore', 'pipe', 'pipe'],
      // In a process group of its own, like the foreground job of a terminal.
      detached: true,
      env: {
        ...process.env,
        ...NO_SETTINGS,
        MUSTER_DATA_DIRECTORY: join(folder.path, 'data'),
        REST_HOST: '127.0.0.1',
        REST_PORT: String(rest),
        IMAGE_HOST: '127.0.0.1',
        IMAGE_PORT: String(image),
      },
    });
    for (const stream of [npm.stdout, npm.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    for (let wait = 0; wait < 4 && !output.includes('muster: gateway on'); wait += 1)
      await eventually(`Muster starts; its output: ${output}`, () => output.includes('muster: gateway on')).catch(
        (error: unknown) => {
          if (wait === 3) throw error;
        },
      );
    pids = descendantsOf(npm.pid ?? 0);
    expect(pids.filter((pid) => commandOf(pid).startsWith('nats-server'))).toHaveLength(1);
  });
  afterEach(() => {
    for (const pid of [npm.pid ?? 0, ...pids]) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  });
  afterAll(() => folder.remove());

  const everythingEnds = (): Promise<void> =>
    eventually('no process is left', () => ![npm.pid ?? 0, ...pids].some(isRunning));

  it('ends with the bus when Ctrl-C reaches every process of the terminal and npm forwards it again', async () => {
    const muster = pidOf('main.js');
    process.kill(-(npm.pid ?? 0), 'SIGINT');
    await eventually('Muster ends', () => !(isRunning(muster) && process.kill(muster, 'SIGINT')));
    await everythingEnds();
    expect(existsSync(join(folder.path, 'data', 'nats', 'nats-server.pid'))).toBe(false);
  });

  it('ends with the bus when only npm receives SIGTERM', async () => {
    npm.kill('SIGTERM');
    await everythingEnds();
    expect(existsSync(join(folder.path, 'data', 'nats', 'nats-server.pid'))).toBe(false);
  });

  it('ends with the bus when npm is killed', async () => {
    npm.kill('SIGKILL');
    await everythingEnds();
  });

  it('leaves no bus behind when Muster is killed', async () => {
    process.kill(pidOf('main.js'), 'SIGKILL');
    await everythingEnds();
  });
});
