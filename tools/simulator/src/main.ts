import { errorMessage } from '@muster/schema';
import { toLine } from '@muster/service-agent';
import { parseCommandLine, USAGE } from './command-line';
import type { SimulationObserver } from './observer';
import { simulatedFleet } from './simulated-fleet';

const say = (who: string, what: string): void => void process.stdout.write(`${who.padEnd(12)} ${what}\n`);

const KEEP_RUNNING_MS = 60_000;

const observer: SimulationObserver = {
  onPower: ({ hostname }, state) => say(hostname, `power: ${state}`),
  onNode: ({ hostname }, state) => say(hostname, `node: ${state}`),
  onStage: ({ hostname }, stage, percent) => say(hostname, `${String(percent).padStart(3)} % ${stage}`),
  onAgentNote: ({ hostname }, note) => {
    if (note.type !== 'reply-unchanged' && note.type !== 'step-started') say(hostname, toLine(note));
  },
  onController: (clusterId, what) => say('controller', `${what} (${clusterId})`),
  onTrouble: ({ hostname }, what) => say(hostname, what),
  onImageRetry: (reason) => say('image', `cannot be downloaded yet and is requested again: ${reason}`),
};

async function main(): Promise<void> {
  const { wantsHelp, imageUrl, iso, repairAfterSeconds, fleet: options } = parseCommandLine(process.argv.slice(2));
  if (wantsHelp) return void process.stdout.write(USAGE);
  const fleet = simulatedFleet({ ...options, observer });
  const stop = new AbortController();
  const stopped = new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve()));
  // SIGHUP: its terminal was closed.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
  // A program that no longer reads the output, such as `head`.
  process.stdout.on('error', () => stop.abort());
  if (iso) await fleet.bootFromFile(iso);
  else if (imageUrl) {
    const downloaded = await fleet.bootFromUrl(imageUrl, stop.signal).catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
      return undefined;
    });
    if (!downloaded) return fleet.powerOff();
    say('image', `${downloaded.bytes} bytes in ${Math.round(downloaded.downloadMs)} ms`);
  } else throw new Error('Give the image to boot from, with --image-url or --iso.');

  const broken = fleet.machines.find(({ fault }) => fault);
  const repair =
    broken && repairAfterSeconds !== undefined && setTimeout(() => void broken.repair(), repairAfterSeconds * 1000);
  // The timer keeps the process running when every program of the hosts has ended, because clusters stay reachable.
  const running = setInterval(() => undefined, KEEP_RUNNING_MS);
  await stopped;
  clearInterval(running);
  if (repair) clearTimeout(repair);
  await fleet.powerOff();
}

main().catch((error: unknown) => {
  process.stderr.write(`${errorMessage(error)}\nSee --help.\n`);
  process.exitCode = 1;
});
