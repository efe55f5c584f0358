import { existsSync, readFileSync } from 'node:fs';
import { FEATURE_IDS } from '../feature';
import { ARCHITECTURES, featureLevel } from '../levels/support-levels';
import { featureOfOperator, FEATURES } from './feature.table';

const CONTRACT = `${__dirname}/../../../../../shared/upstream/swagger.yaml`;
const hasContract = existsSync(CONTRACT);
const withContract = hasContract ? it : it.skip;
const VERSIONS = ['', 'newest', '4.5', '4.10.1', '4.11', '4.12.9', '4.13', '4.15', '4.19.0-ec.1', '4.22.9', '5.0.0'];
const PLATFORMS = [undefined, 'baremetal', 'none', 'nutanix', 'vsphere', 'external'];

/** The values of one enum of the v2 API document, which has one value per line. */
function enumOf(name: string): readonly string[] {
  const lines = readFileSync(CONTRACT, 'utf8').split('\n');
  const start = lines.findIndex((line) => line === `  ${name}:`);
  const end = lines.findIndex((line, index) => index > start && /^ {2}\S/.test(line));
  return lines.slice(start, end).flatMap((line) => /^\s+- '?([A-Z0-9_]+)/.exec(line)?.[1] ?? []);
}

describe('feature table', () => {
  it('has one row for each feature', () => {
    expect(FEATURES.map(({ id }) => id).sort()).toEqual([...FEATURE_IDS].sort());
  });

  withContract(
    `has the features and architectures of the v2 API${hasContract ? '' : ' (skipped: the contract document is not on this machine)'}`,
    () => {
      expect([...FEATURE_IDS].sort()).toEqual([...enumOf('feature-support-level-id')].sort());
      expect(ARCHITECTURES.map(({ id }) => id).sort()).toEqual([...enumOf('architecture-support-level-id')].sort());
    },
  );

  it.each(FEATURES)('$id has a level in every case, with a reason exactly when it cannot be used', (feature) => {
    for (const version of VERSIONS)
      for (const platform of PLATFORMS)
        for (const { name: architecture } of ARCHITECTURES)
          for (const externalPlatformName of [undefined, 'oci']) {
            const { level, reason } = featureLevel(feature, { version, platform, architecture, externalPlatformName });
            expect(reason !== undefined).toBe(level === 'unavailable' || level === 'unsupported');
          }
  });

  it.each(FEATURES)('$id does not exclude itself', ({ id, excludes }) => {
    expect(excludes.flatMap(({ features }) => features)).not.toContain(id);
  });

  it('finds operators by current and former name, and no operator for property names of objects', () => {
    expect(featureOfOperator('odf')).toBe('ODF');
    expect(featureOfOperator('ocs')).toBe('ODF');
    expect(featureOfOperator('nvidia-gpu')).toBe('NVIDIA_GPU');
    expect(featureOfOperator('toString')).toBeUndefined();
  });
});
