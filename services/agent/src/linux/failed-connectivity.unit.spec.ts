import { setImmediate as turn } from 'node:timers/promises';
import { StepFailed } from '../machine/machine.port';
import type { RunCommand } from './command';
import { checkConnectivity } from './connectivity-check';

it('a check of connectivity that failed starts no further programs', async () => {
  const addresses = Array.from({ length: 600 }, (_, number) => `2001:db8::${number + 1}`);
  let started = 0;
  const run: RunCommand = async (_program, args) => {
    started += 1;
    await turn();
    if (args.at(-1) === addresses[0]) throw new StepFailed('no memory');
    return { exitCode: 0, stdout: '' };
  };
  const hosts = [{ hostId: 'h', nics: [{ name: 'eth0', mac: '', addresses }] }];
  const probe = { find: async () => [] };
  const report = checkConnectivity(hosts, [], run, probe, new AbortController().signal);
  await expect(report).rejects.toThrow('no memory');
  const atFailure = started;
  for (let waited = 0; waited < 20; waited += 1) await turn();
  expect(started).toBe(atFailure);
});
