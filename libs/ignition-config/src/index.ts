export type * from './config/ignition-config';
export { fromDataUrl, toDataUrl } from './config/data-url';
export { readTextFile } from './config/ignition-file';
export { toIgnitionJson } from './config/ignition-json';
export { PULL_SECRET_PATH, SERVICE_CA_PATH, TRUST_BUNDLE_PATH } from './discovery/host-files';
export type {
  AgentProgram,
  DiscoveryInput,
  StaticNetwork,
  NtpSettings,
  ProxySettings,
  RegistrySettings,
  ServiceAccess,
} from './discovery/discovery-input';
export { proxyEnvironmentLines } from './discovery/proxy';
export { DISCOVERY_SPEC_VERSION, renderDiscoveryIgnition } from './discovery/render-discovery-ignition';
export { OVERRIDE_SPEC_VERSIONS, parseIgnitionOverride, type ParsedOverride } from './merge/ignition-override';
export { mergeIgnition } from './merge/merge-ignition';
export type { BootstrapInput } from './bootstrap/bootstrap-input';
export { clusterIdIn, finishBootstrap } from './bootstrap/finish-bootstrap';
export { renderBootstrapIgnition } from './bootstrap/render-bootstrap-ignition';
export { type BareMetalHost, bareMetalHosts } from './cluster-manifests/bare-metal-hosts';
export { clusterManifests } from './cluster-manifests/cluster-manifests';
export type { ManifestFile, ManifestFolder } from './cluster-manifests/manifest-file';
export type { ClusterManifestsInput } from './cluster-manifests/manifests-input';
export { isPatch, placeManifests } from './cluster-manifests/place-manifests';
export { type JoiningInput, renderJoiningIgnition } from './install/render-joining-ignition';
export { hostNodeConfig, roleNodeConfig, type NodeFilesInput } from './install/node-files';
export { composeInstallConfig } from './install-config/compose-install-config';
export type {
  FencingCredentials,
  InstallConfig,
  InstallConfigHost,
  InstallConfigInput,
  RegistryMirror,
} from './install-config/install-config-input';
export { parseInstallConfigOverride } from './install-config/override-install-config';
export {
  emptyIgnition,
  POINTER_SPEC_VERSION,
  type PointerInput,
  pointTo,
  renderPointerIgnition,
} from './install/render-pointer-ignition';
export {
  type HostNetwork,
  type HostNetworkConfig,
  type HostNetworks,
  type NetworkForm,
  planHostNetworks,
} from './static-network/host-networks';
export { describeNetworkProblem, type NetworkProblem } from './static-network/network-problem';
export { networkRamdiskFiles } from './static-network/network-ramdisk-files';
export { hostNetworkFiles, type NetworkFile, networkScripts } from './static-network/network-files';
export { parseRegistries } from './registries/parse-registries';
export { type SystemManifestsInput, systemManifests } from './system-manifests/system-manifests';
export {
  MANIFEST_BYTES_MAX,
  manifestContentFault,
  type ManifestFault,
  manifestNameFault,
} from './user-manifests/check-manifest';
export { unconfiguredFiles, type UnconfiguredInput } from './unconfigured/unconfigured-files';
export { isCertificateList, splitCertificates } from './documents/certificates';
export { readYaml, toPlain, type ReadYaml, type YamlFault } from './documents/read-yaml';
export {
  AGENT_SETTINGS_PATH,
  parseAgentFile,
  toAgentFileText,
  type AgentFile,
  type ExecutableSource,
  type NatsAccess,
} from './discovery/agent-file';
export { HOST_EXECUTABLE_PATH } from './discovery/host-executable';
export type { NatsAccess as AgentNatsAccess } from './discovery/agent-file';
