import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorMessage } from '@muster/schema';
import { MusterProcess } from '@muster/tool-demo';
import { installAicli, prepareAicli } from './aicli';
import { validationErrorOf, stepsOf } from './steps';

/**
 * Runs every aicli command in the order of the life of a cluster against the embedded profile. The exit code is 0 when
 * all commands succeeded.
 */
async function main(): Promise<void> {
  const aicli = installAicli(join('node_modules', '.cache'));
  if ('missing' in aicli) {
    console.log(`clients: skipped, ${aicli.missing}.`);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'muster-clients-'));
  const muster = await MusterProcess.prepare({ dataDirectory: join(folder, 'data') });
  const api = `${muster.restUrl}/api/assisted-install/v2`;
  const client = prepareAicli(aicli.program, folder, muster.restUrl);
  const { steps, fleets } = stepsOf({ folder, api });
  let failures = 0;
  let commands = 0;
  try {
    await muster.start();
    for (const step of steps) {
      const startedMs = performance.now();
      const name = step.kind === 'command' ? `aicli ${step.args.join(' ')}` : `… ${step.name}`;
      const validator =
        step.kind === 'command'
          ? validationErrorOf(step, await client.run(step.args), folder)
          : await step.happen().then(
              () => undefined,
              (error: unknown) => String(error),
            );
      if (step.kind === 'command') commands += 1;
      if (validator !== undefined) failures += 1;
      const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1).padStart(5);
      console.log(`${validator === undefined ? 'ok    ' : 'FAILED'} ${seconds} s  ${name}`);
      if (validator !== undefined) console.log(`                ${validator}`);
    }
    console.log(`clients: ${commands} commands, ${failures} failure(s).`);
    if (failures > 0 && muster.output.trim()) console.log(muster.output.split('\n').slice(-15).join('\n'));
  } finally {
    await Promise.all(fleets.map((fleet) => fleet.powerOff()));
    await muster.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  if (failures > 0) process.exitCode = 1;
}

void main().then(
  () => process.exit(),
  (error: unknown) => {
    console.error(`clients: ${errorMessage(error)}`);
    process.exit(1);
  },
);
