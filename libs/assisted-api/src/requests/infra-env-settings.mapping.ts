import type { InfraEnvSettings, Plain } from '@muster/contracts';
import { withoutAbsent } from './cluster-settings.mapping';
import type { RegisterInfraEnvBody, ReviseInfraEnvBody } from './infra-env.request';

/** The settings of a new infra-env in the form of the bus. */
export function toInfraEnvSettings(body: RegisterInfraEnvBody): Plain<InfraEnvSettings> {
  return { ...toInfraEnvFields(body), ...toIdentity(body) };
}

/** In a revision, an empty key, version or override means "as it was", as in the contract. */
export function toInfraEnvChanges(body: ReviseInfraEnvBody): Plain<InfraEnvSettings> {
  const changes = toInfraEnvFields(body);
  for (const field of ['sshAuthorizedKey', 'openshiftVersion', 'ignitionConfigOverride'] as const) {
    if (changes[field] === '') delete changes[field];
  }
  return changes;
}

function toIdentity(body: RegisterInfraEnvBody): Plain<InfraEnvSettings> {
  return withoutAbsent({
    name: body.name,
    clusterId: body.cluster_id?.toLowerCase(),
    cpuArchitecture: body.cpu_architecture === 'aarch64' ? 'arm64' : body.cpu_architecture,
  });
}

function toInfraEnvFields(body: RegisterInfraEnvBody | ReviseInfraEnvBody): Plain<InfraEnvSettings> {
  return withoutAbsent({
    openshiftVersion: body.openshift_version,
    imageType: body.image_type,
    proxy:
      body.proxy &&
      withoutAbsent({
        httpProxy: body.proxy.http_proxy,
        httpsProxy: body.proxy.https_proxy,
        noProxy: body.proxy.no_proxy,
      }),
    sshAuthorizedKey: body.ssh_authorized_key,
    additionalNtpSources: body.additional_ntp_sources,
    ntpSources: body.ntp_sources,
    ignitionConfigOverride: body.ignition_config_override,
    additionalTrustBundle: body.additional_trust_bundle,
    kernelArguments: body.kernel_arguments && toText(body.kernel_arguments),
    // An empty list removes the setting, so that it is absent in answers.
    staticNetworkConfig:
      body.static_network_config && (body.static_network_config.length > 0 ? toText(body.static_network_config) : ''),
    rendezvousIp: body.rendezvous_ip,
    networkDiscoveryDelaySeconds: body.network_discovery_delay_seconds,
  });
}

const toText = (items: readonly object[]): string => JSON.stringify(items);
