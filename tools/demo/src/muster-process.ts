import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createDirectory } from '@muster/adapter-filesystem';
import { type FileLock, lockFile } from '@muster/adapter-sqlite';
import { operatorSettings, type Setting, SETTINGS, timeoutSettings } from '@muster/nest-kit';
import { errorMessage, parseJson, textAt } from '@muster/schema';
import { freePort, type StartableService } from '@muster/service-muster';

const START_TIMEOUT_MS = 60_000;
const LOOK_AGAIN_MS = 50;
export const MUSTER_MAIN = join(__dirname, '..', '..', '..', 'services', 'muster', 'dist', 'main.js');

/**
 * Returns the options of Node in the script `start` of the tree of the program. The reasons are in docs/adr:
 * 0035-collect-garbage-as-the-program-allocates.md and 0036-let-v8-inline-more-code.md.
 */
export function nodeOptionsOf(program: string): readonly string[] {
  let tree = dirname(program);
  while (!existsSync(join(tree, 'nx.json'))) {
    if (tree === dirname(tree))
      throw new Error(`${program} is not in a tree of Muster: no folder above it has a nx.json.`);
    tree = dirname(tree);
  }
  const start = textAt(parseJson(readFileSync(join(tree, 'package.json'), 'utf8')), 'scripts', 'start') ?? '';
  const [, options = ''] = /exec node ((?:--\S+ )*)/.exec(start) ?? [];
  return options.split(' ').filter(Boolean);
}

const NODE_OPTIONS = nodeOptionsOf(MUSTER_MAIN);

/** The variables of proxies that are no settings. curl and other programs read them. */
const PROXIES = ['http_proxy', 'https_proxy', 'no_proxy', 'all_proxy', 'ALL_PROXY'];

/**
 * Every setting and proxy with an empty value, which counts as not set. The shell may have settings for real machines or for the servers
 * of the tests.
 */
export const NO_SETTINGS = Object.fromEntries(
  [
    ...Object.entries<Setting<unknown>>(SETTINGS).flatMap(([name, { aliases = [] }]) => [name, ...aliases]),
    ...[...timeoutSettings(String), ...operatorSettings()].map(({ name }) => name),
    ...PROXIES,
  ].map((name) => [name, '']),
);

/**
 * Creates the directory of a demo and locks it until the process ends, because a second demo would delete the data of the first one.
 * @throws Error when another demo has locked it, when it has data that no demo wrote, or when it is not writable
 */
export function lockDemoDirectory(directory: string): FileLock {
  let lock: FileLock | undefined;
  const [lockPath, data] = [join(directory, 'demo.lock'), join(directory, 'data')];
  if (existsSync(data) && !existsSync(lockPath))
    throw new Error(
      `No demo wrote ${data}, and a demo would delete it. Move it away, or set MUSTER_DEMO_DIRECTORY to another directory.`,
    );
  try {
    createDirectory(directory);
    lock = lockFile(lockPath, 'exclusive');
  } catch (error) {
    throw new Error(
      `The directory of the demo ${directory} is not writable: ${errorMessage(error).replace(/\.$/, '')}. Change its owner or permissions, or set MUSTER_DEMO_DIRECTORY to another directory.`,
      { cause: error },
    );
  }
  if (lock) return lock;
  throw new Error(
    `Another demo runs in the directory ${directory}. Wait until it has ended, or set MUSTER_DEMO_DIRECTORY to another directory.`,
  );
}

export interface MusterProcessOptions {
  readonly dataDirectory: string;
  /** Port number; 0 selects a free port. */
  readonly restPort?: number;
  readonly imagePort?: number;
  readonly environment?: { readonly [name: string]: string };
}

/**
 * The embedded profile in a separate process, as `npm start` runs it. Its settings are those of the options. Tests can stop or kill it.
 */
export class MusterProcess {
  private child: ChildProcess | undefined;
  private log = '';

  private constructor(
    private readonly options: MusterProcessOptions,
    readonly restUrl: string,
    readonly environment: NodeJS.ProcessEnv,
  ) {}

  static async prepare(options: MusterProcessOptions): Promise<MusterProcess> {
    const restPort = options.restPort || (await freePort('127.0.0.1'));
    const imagePort = options.imagePort || (await freePort('127.0.0.1'));
    const restUrl = `http://127.0.0.1:${restPort}`;
    return new MusterProcess(options, restUrl, {
      ...process.env,
      ...NO_SETTINGS,
      // The registration of an infra-env would begin the download of its live image.
      OS_IMAGES_FETCH: 'stream',
      ...options.environment,
      MUSTER_DATA_DIRECTORY: options.dataDirectory,
      REST_HOST: '127.0.0.1',
      REST_PORT: String(restPort),
      IMAGE_HOST: '127.0.0.1',
      IMAGE_PORT: String(imagePort),
      SERVICE_BASE_URL: restUrl,
      IMAGE_SERVICE_BASE_URL: `http://127.0.0.1:${imagePort}`,
    });
  }

  /** Resolves when `GET /ready` answers 200. Rejects with the last output when the process ends earlier. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, [...NODE_OPTIONS, MUSTER_MAIN], {
      env: this.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    const keep = (chunk: Buffer): void => void (this.log = (this.log + chunk.toString()).slice(-65_536));
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    for (let waited = 0; waited < START_TIMEOUT_MS; waited += LOOK_AGAIN_MS) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`Muster ended before it was ready:\n${this.log}`);
      const ready = await fetch(`${this.restUrl}/ready`).catch(() => undefined);
      if (ready?.ok) return;
      await sleep(LOOK_AGAIN_MS);
    }
    throw new Error(`Muster was not ready after ${START_TIMEOUT_MS / 1_000} s:\n${this.log}`);
  }

  /** Sends SIGKILL: no buffer is flushed and no connection is closed properly. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.end('SIGTERM');
  }

  get dataDirectory(): string {
    return this.options.dataDirectory;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** The last output of the process. */
  get output(): string {
    return this.log;
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const LOG_CHARACTERS = 65_536;

/** One service in a separate process, as `npm start -- <service>` runs it. It has none of the settings of the shell. */
export class ServiceProcess {
  readonly environment: NodeJS.ProcessEnv;
  private child: ChildProcess | undefined;
  private log = '';

  constructor(
    readonly service: StartableService,
    settings: { readonly [name: string]: string },
  ) {
    this.environment = { ...process.env, ...NO_SETTINGS, ...settings };
  }

  /** Resolves when the service reports its start. Rejects with the last output when it ends earlier. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, [...NODE_OPTIONS, MUSTER_MAIN, this.service], {
      env: this.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    await new Promise<void>((resolve, reject) => {
      const keep = (chunk: Buffer): void => {
        this.log = (this.log + chunk.toString()).slice(-LOG_CHARACTERS);
        if (chunk.includes(`${this.service} started`)) resolve();
      };
      child.stdout.on('data', keep);
      child.stderr.on('data', keep);
      child.once('error', reject);
      child.once('exit', () => reject(new Error(`${this.service} ended before it was ready:\n${this.log}`)));
    });
  }

  /** The last output of the process. */
  get output(): string {
    return this.log;
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }
}
