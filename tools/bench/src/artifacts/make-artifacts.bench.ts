import { builtinToolchain, type KeepSecret } from '@muster/service-ignition';
import { kibibytes, milliseconds } from '../figures';
import type { Bench } from '../measurement';
import { withResidentPeak } from './resident-peak';
import { sampleInstallRequest } from './sample-order';

const HOST_COUNTS = [3, 50, 500];

/** What the built-in toolchain makes of an order: with keys that have to be made, and once more with those that were kept. */
export const makeArtifacts: Bench = {
  name: 'artifacts',
  about: 'artifacts of installations with 3, 50 and 500 hosts: time and memory',
  run: async (bed) => {
    const measurements = [];
    // The first one also loads and compiles what all others use.
    await builtinToolchain.make(sampleInstallRequest(3), (_, make) => make());
    for (const hostCount of bed.isQuick ? [3, 50] : HOST_COUNTS) {
      const order = sampleInstallRequest(hostCount);
      const kept = new Map<string, Buffer>();
      const keep: KeepSecret = async (name, make) => {
        const secret = kept.get(name) ?? (await make());
        kept.set(name, secret);
        return secret;
      };
      const startedMs = performance.now();
      await builtinToolchain.make(order, keep);
      const withKeysMs = performance.now() - startedMs;
      const againMs = performance.now();
      const { result, bytes } = await withResidentPeak(() => builtinToolchain.make(order, keep));
      const withoutKeysMs = performance.now() - againMs;
      const size = result.artifacts.reduce((sum, { content }) => sum + content.length, 0);
      measurements.push(
        {
          what: `artifacts for ${hostCount} hosts, keys included`,
          measured: `${milliseconds(withKeysMs)}, ${result.artifacts.length} artifacts of ${kibibytes(size)}`,
          budget: '',
        },
        {
          what: `artifacts for ${hostCount} hosts, from kept keys`,
          measured: `${milliseconds(withoutKeysMs)}, ${kibibytes(bytes)} more resident at most`,
          budget: '',
        },
      );
    }
    return measurements;
  },
};
