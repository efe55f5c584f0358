export type * from './config/ignition-config';
export { isIgnitionConfig, toIgnitionConfig, toIgnitionJson } from './config/ignition-config';
export { fromDataUrl, isRemoteUrl, MODE_READABLE, readTextFile, textFile, toDataUrl } from './config/ignition-file';
export { PULL_SECRET_PATH, SERVICE_CA_PATH, TRUST_BUNDLE_PATH } from './discovery/host-files';
export {
  AGENT_SETTINGS_PATH,
  type AgentFile,
  type AgentProgram,
  type DiscoveryInput,
  type ExecutableSource,
  type NatsAccess,
  type NtpSettings,
  parseAgentFile,
  proxyEnvironmentLines,
  type ProxySettings,
  type RegistrySettings,
  type ServiceAccess,
  shellQuote,
  type StaticNetwork,
  toAgentFileText,
} from './discovery/discovery-input';
export { DISCOVERY_SPEC_VERSION, renderDiscoveryIgnition } from './discovery/render-discovery-ignition';
export {
  authoritiesOf,
  OVERRIDE_SPEC_VERSIONS,
  parseIgnitionOverride,
  type ParsedOverride,
} from './merge/ignition-override';
export { ignitionOverrideProblem, mergeIgnition, mergeOverride } from './merge/merge-ignition';
export type { BootstrapInput } from './bootstrap/bootstrap-input';
export { clusterIdIn, describeHostFile, finishBootstrap } from './bootstrap/finish-bootstrap';
export { renderBootstrapIgnition } from './bootstrap/render-bootstrap-ignition';
export { type BareMetalHost, bareMetalHosts } from './cluster-manifests/bare-metal-hosts';
export { clusterManifests } from './cluster-manifests/cluster-manifests';
export type { ClusterManifestsInput, ManifestFile, ManifestFolder } from './cluster-manifests/manifests-input';
export { isPatch, placeManifests, poolNamesIn } from './cluster-manifests/place-manifests';
export {
  hostNodeConfig,
  type LeasedVips,
  type NodeFilesInput,
  roleNodeConfig,
  vipLeaseConfig,
} from './install/node-files';
export { composeInstallConfig, toInstallConfigText } from './install-config/render-install-config';
export type {
  FencingCredentials,
  InstallConfig,
  InstallConfigHost,
  InstallConfigInput,
  RegistryMirror,
} from './install-config/install-config-input';
export { checkInstallConfigOverride } from './install-config/override-install-config';
export {
  emptyIgnition,
  type JoiningInput,
  POINTER_SPEC_VERSION,
  type PointerInput,
  pointTo,
  renderJoiningIgnition,
  renderPointerIgnition,
} from './install/render-pointer-ignition';
export {
  type HostNetwork,
  type HostNetworkConfig,
  type HostNetworks,
  type NetworkForm,
  planHostNetworks,
} from './static-network/host-networks';
export {
  networkFormOf,
  planRamdiskNetworks,
  planStaticNetworks,
  type GivenNetworks,
  staticNetworkProblem,
  parseHostNetworks,
} from './static-network/static-networks';
export { describeNetworkProblem, type NetworkProblem } from './static-network/nmstate';
export {
  hostNetworkFiles,
  type NetworkFile,
  networkRamdiskFiles,
  networkScripts,
} from './static-network/network-files';
export { isInRegistry, parseRegistries, usableMirrors } from './documents/parse-registries';
export { type SystemManifestsInput, systemManifests } from './system-manifests/system-manifests';
export {
  MANIFEST_BYTES_MAX,
  manifestContentFault,
  type ManifestFault,
  manifestNameFault,
} from './cluster-manifests/check-manifest';
export { unconfiguredFiles, type UnconfiguredFile, type UnconfiguredInput } from './discovery/unconfigured-files';
export { certificatesFault, splitCertificates } from './documents/certificates';
export {
  parseAsKubernetes,
  readYaml,
  stringifyForKubernetes,
  toPlain,
  type ReadYaml,
  type YamlFault,
} from './documents/read-yaml';
export {
  HOST_EXECUTABLE_PATH,
  ramdiskExecutableFiles,
  ramdiskExecutablePath,
  upgradedDigestPath,
} from './discovery/agent-unit';
