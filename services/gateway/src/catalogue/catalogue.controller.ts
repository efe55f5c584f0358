import { Type } from '@sinclair/typebox';
import {
  OpenshiftVersionsQuery,
  type ReleaseSource,
  V2_OPENSHIFT_VERSION,
  V2_RELEASE_SOURCE,
  type V2OpenshiftVersion,
  VersionCatalogue,
  Dictionary,
  StringEnum,
} from '@muster/assisted-api';
import { Controller, Get, Inject, Query } from '@nestjs/common';
import { Answers } from '../api-document/answers.decorator';
import { Accepts } from '../auth/accepts.decorator';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import { toDefaultConfig, V2_DEFAULT_CONFIG, type V2DefaultConfig } from './default-config';

/** `list-versions` of the contract. */
const V2_COMPONENT_VERSIONS = Type.Object(
  { versions: Dictionary(Type.String()), release_tag: Type.String() },
  { title: 'list-versions' },
);

/** `managed-domain` of the contract. */
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

  /** Base domains with managed DNS records: none. */
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

  /** Which channels releases are taken from; the catalogue itself is what `openshift-versions` lists. */
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
