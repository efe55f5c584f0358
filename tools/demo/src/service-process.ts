import { type ChildProcess, spawn } from 'node:child_process';
import type { StartableService } from '@muster/service-muster';
import { MUSTER_MAIN, NODE_OPTIONS } from './muster-process';

const LOG_CHARACTERS = 65_536;

/** One service in a separate process, as `npm start -- <service>` runs it. */
export class ServiceProcess {
  private child: ChildProcess | undefined;
  private log = '';

  constructor(
    readonly service: StartableService,
    private readonly environment: NodeJS.ProcessEnv,
  ) {}

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

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }
}
