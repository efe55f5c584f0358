import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { NO_SETTINGS } from './muster-process';

const COMMAND_TIMEOUT_MS = 60_000;

/** One bash process that runs command after command, as a terminal does. */
export class BashSession {
  private readonly child: ChildProcess;
  private output = '';
  private notify: () => void = () => undefined;

  constructor(folder: string) {
    this.child = spawn('bash', ['--norc'], {
      cwd: folder,
      // curl would ask a proxy of the shell for the addresses of this machine.
      env: { ...process.env, ...NO_SETTINGS },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.output += chunk.toString();
        this.notify();
      });
  }

  /** Runs one command, which may have several lines, and returns what it printed. Rejects when it does not end in time. */
  async run(command: string): Promise<string> {
    const mark = randomUUID();
    this.output = '';
    const ended = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`The command did not end:\n${command}\n${this.output}`)),
        COMMAND_TIMEOUT_MS,
      );
      this.notify = () => {
        if (!this.output.includes(mark)) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.child.stdin?.write(`${command}\necho ${mark}\n`);
    await ended;
    return this.output.slice(0, this.output.indexOf(mark));
  }

  /** Ends the session and the commands that run in its background. */
  async end(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('close', resolve));
    if (this.child.pid) process.kill(-this.child.pid, 'SIGTERM');
    this.child.kill('SIGKILL');
    await ended;
  }
}
