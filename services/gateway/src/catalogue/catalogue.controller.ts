import {
  Dictionary,
  OpenshiftVersionsQuery,
  type ReleaseSource,
  type Static,
  StringEnum,
  V2_OPENSHIFT_VERSION,
  V2_RELEASE_SOURCE,
  type V2OpenshiftVersion,
  VersionCatalogue,
} from '@muster/assisted-api';
import { Controller, Get, Inject, Query } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { Answers } from '../api-document/answers.decorator';
import { Accepts } from '../auth/caller';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';

const CLUSTER_NETWORKS = Type.Array(
  Type.Object({ cidr: Type.String(), host_prefix: Type.Integer() }, { title: 'default_cluster_network' }),
);
const SERVICE_NETWORKS = Type.Array(Type.Object({ cidr: Type.String() }, { title: 'default_service_network' }));

/** `cluster_default_config` of the v2 API. */
export const V2_DEFAULT_CONFIG = Type.Object(
  {
    cluster_network_cidr: Type.String(),
    cluster_network_host_prefix: Type.Integer(),
    service_network_cidr: Type.String(),
    ntp_source: Type.String(),
    inactive_deletion_hours: Type.Integer(),
    cluster_networks_ipv4: CLUSTER_NETWORKS,
    cluster_networks_dualstack: CLUSTER_NETWORKS,
    service_networks_ipv4: SERVICE_NETWORKS,
    service_networks_dualstack: SERVICE_NETWORKS,
    forbidden_hostnames: Type.Array(Type.String()),
  },
  { title: 'cluster_default_config' },
);
export type V2DefaultConfig = Static<typeof V2_DEFAULT_CONFIG>;

const CLUSTER_NETWORK_IPV4 = { cidr: '10.128.0.0/14', host_prefix: 23 };
const CLUSTER_NETWORK_IPV6 = { cidr: 'fd01::/48', host_prefix: 64 };
const SERVICE_NETWORK_IPV4 = { cidr: '172.30.0.0/16' };
const SERVICE_NETWORK_IPV6 = { cidr: 'fd02::/112' };

/** Names that do not identify a host, because every machine uses them for itself. */
const FORBIDDEN_HOSTNAMES = [
  'localhost',
  'localhost.localdomain',
  'localhost4',
  'localhost4.localdomain4',
  'localhost6',
  'localhost6.localdomain6',
];

/** Returns the default values for forms of a web console. */
export function toDefaultConfig(settings: {
  readonly ntpDefaultServer: string;
  readonly inactiveDeletionHours: number;
}): V2DefaultConfig {
  return {
    cluster_network_cidr: CLUSTER_NETWORK_IPV4.cidr,
    cluster_network_host_prefix: CLUSTER_NETWORK_IPV4.host_prefix,
    service_network_cidr: SERVICE_NETWORK_IPV4.cidr,
    ntp_source: settings.ntpDefaultServer,
    inactive_deletion_hours: settings.inactiveDeletionHours,
    cluster_networks_ipv4: [CLUSTER_NETWORK_IPV4],
    cluster_networks_dualstack: [CLUSTER_NETWORK_IPV4, CLUSTER_NETWORK_IPV6],
    service_networks_ipv4: [SERVICE_NETWORK_IPV4],
    service_networks_dualstack: [SERVICE_NETWORK_IPV4, SERVICE_NETWORK_IPV6],
    forbidden_hostnames: FORBIDDEN_HOSTNAMES,
  };
}

/** `list-versions` of the v2 API. */
const V2_COMPONENT_VERSIONS = Type.Object(
  { versions: Dictionary(Type.String()), release_tag: Type.String() },
  { title: 'list-versions' },
);

/** `managed-domain` of the v2 API. */
const V2_MANAGED_DOMAIN = Type.Object(
  { domain: Type.Optional(Type.String()), provider: Type.Optional(StringEnum<string>(['route53'])) },
  { title: 'managed-domain' },
);

@Controller('v2')
export class CatalogueController {
  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly catalogue: VersionCatalogue,
  ) {}

  @Get('component-versions')
  @Answers('List the component images and the release tag of this service.', V2_COMPONENT_VERSIONS)
  @Accepts('userAuth')
  listComponentVersions(): {
    readonly versions: { readonly [component: string]: string };
    readonly release_tag: string;
  } {
    return { versions: this.config.componentVersions, release_tag: this.config.releaseTag };
  }

  /** Muster manages no DNS records, so the list is empty. */
  @Get('domains')
  @Answers('List the base domains with managed DNS records.', Type.Array(V2_MANAGED_DOMAIN))
  @Accepts('userAuth')
  listManagedDomains(): readonly never[] {
    return [];
  }

  @Get('openshift-versions')
  @Answers('List the OpenShift versions that can be installed.', Dictionary(V2_OPENSHIFT_VERSION))
  @Accepts('userAuth')
  listOpenshiftVersions(@Query() query: OpenshiftVersionsQuery): {
    readonly [version: string]: V2OpenshiftVersion;
  } {
    return this.catalogue.toV2({ version: query.version, onlyLatest: query.only_latest });
  }

  /** The release channels of the catalogue. `openshift-versions` lists the releases. */
  @Get('release-sources')
  @Answers('List the release channels per version and architecture.', Type.Array(V2_RELEASE_SOURCE))
  @Accepts('userAuth')
  listReleaseSources(): readonly ReleaseSource[] {
    return this.config.releaseSources;
  }

  @Get('clusters/default-config')
  @Answers('Get the default settings of a cluster.', V2_DEFAULT_CONFIG)
  @Accepts('userAuth')
  showDefaultConfig(): V2DefaultConfig {
    return toDefaultConfig(this.config);
  }
}
