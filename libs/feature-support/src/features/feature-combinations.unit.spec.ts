import type { FeatureId } from '../feature';
import { ARCHITECTURES, excludedBy, existsOn } from '../levels/support-levels';
import { featureOf, FEATURES } from './feature.table';

/** The features that a feature excludes, as in assisted-service v2. `<4.19`: before this version only. */
const EXCLUDED = `
  SNO: CLUSTER_MANAGED_NETWORKING DUAL_STACK_PRIMARY_IPV6<4.19 FENCE_AGENTS_REMEDIATION KUBE_DESCHEDULER
    NODE_HEALTHCHECK NODE_MAINTENANCE NUTANIX_INTEGRATION ODF SELF_NODE_REMEDIATION USER_MANAGED_LOAD_BALANCER
    VIP_AUTO_ALLOC VSPHERE_INTEGRATION
  TNA: EXTERNAL_PLATFORM EXTERNAL_PLATFORM_OCI NONE_PLATFORM<4.22 NUTANIX_INTEGRATION VSPHERE_INTEGRATION
  TNF: EXTERNAL_PLATFORM EXTERNAL_PLATFORM_OCI NUTANIX_INTEGRATION VSPHERE_INTEGRATION
  FULL_ISO: EXTERNAL_PLATFORM_OCI
  NON_STANDARD_HA_CONTROL_PLANE: NUTANIX_INTEGRATION VSPHERE_INTEGRATION
  VIP_AUTO_ALLOC: EXTERNAL_PLATFORM EXTERNAL_PLATFORM_OCI NONE_PLATFORM SNO USER_MANAGED_LOAD_BALANCER
  CLUSTER_MANAGED_NETWORKING: EXTERNAL_PLATFORM EXTERNAL_PLATFORM_OCI NONE_PLATFORM SNO USER_MANAGED_NETWORKING
  USER_MANAGED_NETWORKING: BAREMETAL_PLATFORM CLUSTER_MANAGED_NETWORKING NUTANIX_INTEGRATION
    USER_MANAGED_LOAD_BALANCER
  PLATFORM_MANAGED_NETWORKING: BAREMETAL_PLATFORM NUTANIX_INTEGRATION VSPHERE_INTEGRATION
  USER_MANAGED_LOAD_BALANCER: DUAL_STACK DUAL_STACK_PRIMARY_IPV6 DUAL_STACK_VIPS EXTERNAL_PLATFORM
    EXTERNAL_PLATFORM_OCI NONE_PLATFORM NUTANIX_INTEGRATION SNO USER_MANAGED_NETWORKING VIP_AUTO_ALLOC
  DUAL_STACK: USER_MANAGED_LOAD_BALANCER VSPHERE_INTEGRATION<4.13
  DUAL_STACK_VIPS: EXTERNAL_PLATFORM_OCI USER_MANAGED_LOAD_BALANCER
  DUAL_STACK_PRIMARY_IPV6: EXTERNAL_PLATFORM EXTERNAL_PLATFORM_OCI NUTANIX_INTEGRATION SNO<4.19
    USER_MANAGED_LOAD_BALANCER VSPHERE_INTEGRATION
  BAREMETAL_PLATFORM: PLATFORM_MANAGED_NETWORKING USER_MANAGED_NETWORKING
  NONE_PLATFORM: CLUSTER_MANAGED_NETWORKING TNA<4.22 USER_MANAGED_LOAD_BALANCER VIP_AUTO_ALLOC
  NUTANIX_INTEGRATION: CNV DUAL_STACK_PRIMARY_IPV6 LVM MCE MTV NMSTATE NON_STANDARD_HA_CONTROL_PLANE OSC
    PLATFORM_MANAGED_NETWORKING SNO TNA TNF USER_MANAGED_LOAD_BALANCER USER_MANAGED_NETWORKING
  VSPHERE_INTEGRATION: CNV DUAL_STACK<4.13 DUAL_STACK_PRIMARY_IPV6 LVM MTV NON_STANDARD_HA_CONTROL_PLANE OSC
    PLATFORM_MANAGED_NETWORKING SNO TNA TNF
  EXTERNAL_PLATFORM: CLUSTER_MANAGED_NETWORKING DUAL_STACK_PRIMARY_IPV6 NMSTATE TNA TNF USER_MANAGED_LOAD_BALANCER
    VIP_AUTO_ALLOC
  EXTERNAL_PLATFORM_OCI: CLUSTER_MANAGED_NETWORKING DUAL_STACK_PRIMARY_IPV6 DUAL_STACK_VIPS FULL_ISO NMSTATE ODF
    OPENSHIFT_AI TNA TNF USER_MANAGED_LOAD_BALANCER VIP_AUTO_ALLOC
  LVM: CLUSTER_MANAGED_NETWORKING<4.15 NUTANIX_INTEGRATION ODF VIP_AUTO_ALLOC<4.15 VSPHERE_INTEGRATION
  ODF: EXTERNAL_PLATFORM_OCI LVM SNO
  CNV: NUTANIX_INTEGRATION VSPHERE_INTEGRATION
  MCE: NUTANIX_INTEGRATION
  MTV: NUTANIX_INTEGRATION VSPHERE_INTEGRATION
  OSC: NUTANIX_INTEGRATION VSPHERE_INTEGRATION
  NMSTATE: EXTERNAL_PLATFORM EXTERNAL_PLATFORM_OCI NUTANIX_INTEGRATION
  OPENSHIFT_AI: EXTERNAL_PLATFORM_OCI
  NODE_HEALTHCHECK: SNO
  SELF_NODE_REMEDIATION: SNO
  FENCE_AGENTS_REMEDIATION: SNO
  NODE_MAINTENANCE: SNO
  KUBE_DESCHEDULER: SNO
`;

/** The architectures without a feature. */
const MISSING = `
  SNO: ppc64le<4.13 s390x<4.13
  SINGLE_NODE_EXPANSION: ppc64le<4.13 s390x<4.13
  MINIMAL_ISO: s390x
  NON_STANDARD_HA_CONTROL_PLANE: arm64 multi ppc64le s390x
  CLUSTER_MANAGED_NETWORKING: arm64<4.11 ppc64le s390x
  NUTANIX_INTEGRATION: arm64 ppc64le s390x
  VSPHERE_INTEGRATION: ppc64le s390x
  EXTERNAL_PLATFORM_OCI: ppc64le s390x
  LVM: ppc64le s390x
  ODF: arm64
  LSO: arm64
  CNV: arm64<4.14 ppc64le s390x
  MTV: arm64 ppc64le s390x
  OSC: arm64 ppc64le s390x
  NMSTATE: arm64 ppc64le s390x
  NODE_FEATURE_DISCOVERY: ppc64le s390x
  NVIDIA_GPU: arm64 ppc64le s390x
  AMD_GPU: arm64 ppc64le s390x
  OPENSHIFT_AI: arm64 ppc64le s390x
  AUTHORINO: arm64
`;

/** Each version is the last before a limit, or the first after it. */
const VERSIONS = ['4.10.9', '4.11.0', '4.12.9', '4.13.0', '4.14.9', '4.15.0', '4.18.9', '4.19.0', '4.21.9', '4.22.0'];

/** Returns the entries of each feature that apply to the version. */
function entriesOf(table: string, id: FeatureId, version: string): readonly string[] {
  const found = table
    .replace(/\n {4}/g, ' ')
    .split('\n')
    .find((line) => line.trim().startsWith(`${id}:`));
  const entries = found?.trim().split(' ').slice(1) ?? [];
  return entries.flatMap((entry) => {
    const [name = '', before] = entry.split('<');
    return before === undefined || minorOf(version) < minorOf(before) ? [name] : [];
  });
}
const minorOf = (version: string): number => Number(version.split('.')[1]);

const others = FEATURES.filter(({ id }) => !id.endsWith('_NETWORK_TYPE'));
const networkTypes = FEATURES.filter(({ id }) => id.endsWith('_NETWORK_TYPE'));

/** Returns the sorted lists of all versions. */
const inAll = (listOf: (version: string) => readonly string[]): readonly (readonly string[])[] =>
  VERSIONS.map((version) => [...listOf(version)].sort());

describe('in each version, the feature', () => {
  it.each(others)('$id excludes the same features as in assisted-service v2', ({ id }) => {
    expect(inAll((version) => excludedBy(featureOf(id), version))).toEqual(
      inAll((version) => entriesOf(EXCLUDED, id, version)),
    );
  });

  it.each(networkTypes)('$id excludes the other network types', ({ id }) => {
    const all = networkTypes.map((feature) => feature.id).filter((other) => other !== id);
    expect(inAll((version) => excludedBy(featureOf(id), version))).toEqual(inAll(() => all));
  });

  it.each(FEATURES)('$id is missing on the same architectures as in assisted-service v2', ({ id }) => {
    const missingIn = (version: string) =>
      ARCHITECTURES.map(({ name }) => name).filter(
        (architecture) => !existsOn(featureOf(id), { version, architecture }),
      );
    expect(inAll(missingIn)).toEqual(inAll((version) => entriesOf(MISSING, id, version)));
  });
});
