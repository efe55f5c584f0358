import { type IgnitionConfig, mergeIgnition, toDataUrl } from '@muster/ignition-config';
import { manifestsIn } from './check-bootstrap-root';
import { ENCAPSULATED_PATH } from './check-node-root';

const ROLE_LABEL = 'machineconfiguration.openshift.io/role';
const BUILT_IN_POOLS = ['master', 'worker', 'arbiter'];

/** What the machines of each pool are to be, made of the MachineConfigs that lie on the bootstrap host. */
export function poolConfigs(root: string): ReadonlyMap<string, IgnitionConfig> {
  const manifests = manifestsIn(root).flatMap(({ documents }) => documents);
  const ofKind = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);
  const machineConfigs = ofKind('MachineConfig').sort((a, b) =>
    (a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1,
  );
  const custom = ofKind('MachineConfigPool').flatMap(({ metadata }) => metadata?.name ?? []);
  return new Map(
    [...BUILT_IN_POOLS, ...custom].map((pool) => {
      // Pools of one's own are workers first.
      const roles = BUILT_IN_POOLS.includes(pool) ? [pool] : ['worker', pool];
      const own = machineConfigs.filter(({ metadata }) => roles.includes(metadata?.labels?.[ROLE_LABEL] ?? ''));
      const merged = own
        .flatMap(({ spec }) => (spec?.config ? [spec.config as IgnitionConfig] : []))
        .reduce<IgnitionConfig>((below, above) => mergeIgnition(below, above), { ignition: { version: '3.2.0' } });
      return [pool, mergeIgnition(merged, encapsulated(own))];
    }),
  );
}

/** The machine takes its MachineConfigs along, for what Ignition does not do. */
const encapsulated = (machineConfigs: readonly object[]): IgnitionConfig => ({
  ignition: { version: '3.2.0' },
  storage: {
    files: [
      {
        path: ENCAPSULATED_PATH,
        mode: 0o644,
        contents: { source: toDataUrl(JSON.stringify(machineConfigs)) },
      },
    ],
  },
});
