import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The release with which the sequence was tested. pip installs its generated client with it. */
const AICLI = 'aicli==99.0.202609281010';
export const SSH_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f me@home';
const COMMAND_TIMEOUT_MS = 180_000;
const OUTPUT_CHARACTERS = 1_048_576;

export interface CommandResult {
  /** Undefined when it was ended because of the time limit. */
  readonly exitCode: number | undefined;
  readonly output: string;
  readonly ms: number;
}

/** The aicli command line in a separate folder and home directory. */
export interface Aicli {
  readonly folder: string;
  run(args: readonly string[]): Promise<CommandResult>;
}

/** Installs aicli unless it is installed. Returns a text with the reason when this machine does not support it. */
export function installAicli(cache: string): { readonly program: string } | { readonly missing: string } {
  const given = process.env.AICLI;
  if (given)
    return existsSync(given) ? { program: resolve(given) } : { missing: `AICLI names ${given}, which does not exist` };
  const venv = resolve(cache, 'muster-aicli');
  const program = join(venv, 'bin', 'aicli');
  if (existsSync(program)) return { program };
  const made = spawnSync('python3', ['-m', 'venv', venv], { encoding: 'utf8' });
  if (made.status !== 0)
    return { missing: `python3 with venv is needed: ${lastLine(made.stderr, 'python3 is not there')}` };
  const installed = spawnSync(join(venv, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', AICLI], {
    encoding: 'utf8',
  });
  if (installed.status !== 0)
    return { missing: `pip cannot install ${AICLI}: ${lastLine(installed.stderr, 'no reason')}` };
  return { program };
}

/** Creates a home directory with a key and a pull secret. */
export function prepareAicli(program: string, folder: string, url: string): Aicli {
  mkdirSync(join(folder, '.ssh'), { recursive: true });
  // Only a public key is needed, because no test logs in to a host.
  writeFileSync(join(folder, '.ssh', 'id_ed25519.pub'), `${SSH_KEY}\n`);
  writeFileSync(
    join(folder, 'openshift_pull.json'),
    JSON.stringify({
      auths: {
        'cloud.openshift.com': { auth: Buffer.from('demo:demo').toString('base64'), email: 'demo@example.com' },
      },
    }),
  );
  const environment = { PATH: process.env.PATH, HOME: folder, AI_URL: url, LANG: 'C.UTF-8' };
  return {
    folder,
    run: (args) =>
      new Promise((done) => {
        const startedMs = performance.now();
        const child = spawn(program, [...args], { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
        let output = '';
        const keep = (chunk: Buffer): void => void (output = (output + chunk.toString()).slice(-OUTPUT_CHARACTERS));
        child.stdout.on('data', keep);
        child.stderr.on('data', keep);
        const impatience = setTimeout(() => child.kill('SIGKILL'), COMMAND_TIMEOUT_MS);
        child.once('error', (error) => (output += error.message));
        child.once('close', (code) => {
          clearTimeout(impatience);
          done({ exitCode: code ?? undefined, output, ms: performance.now() - startedMs });
        });
      }),
  };
}

const lastLine = (text: string | null, fallback: string): string => text?.trim().split('\n').at(-1) ?? fallback;
