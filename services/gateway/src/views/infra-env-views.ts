import {
  COLLECTIONS,
  type InfraEnvDocument,
  presentInfraEnv,
  type V2InfraEnv,
  VersionCatalogue,
} from '@muster/assisted-api';
import { CLOCK, READ_MODELS, SECRETS, signImageToken } from '@muster/nest-kit';
import type { Clock, ReadModels, Secrets } from '@muster/ports';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ADMIN } from '../auth/caller';
import { LocalTokens } from '../auth/local.authenticator';
import { Ownership } from '../auth/ownership';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import { jsonList, type JsonPiece } from '../http/file-answers';
import { collect, findAll, ListOrder, noInfraEnv, SealedTexts } from './documents';
import { RenderTurns } from './render-turns';

type Asked = Pick<FastifyRequest, 'hostname' | 'host' | 'protocol' | 'caller'>;
/** The host name of the request is that of the image service, unless a setting names another. */
export type ImageRequest = Pick<FastifyRequest, 'hostname' | 'caller'>;

export interface NetworkBootUrls {
  readonly initrdUrl: string;
  readonly kernelUrl: string;
  readonly rootfsUrl: string;
}

/** Creates the URLs from which the hosts of an infra-env boot. */
@Injectable()
export class ImageUrls {
  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly catalogue: VersionCatalogue,
    private readonly tokens: LocalTokens,
    private readonly ownership: Ownership,
    @Inject(SECRETS) private readonly secrets: Secrets,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Returns the URL of the boot image, of the image type of the infra-env. */
  async of(infraEnv: InfraEnvDocument, request: Asked): Promise<string> {
    const { id, cpu_architecture: architecture, type } = infraEnv;
    const file = `${this.versionOf(infraEnv)}/${architecture}/${type.replace(/-iso$/, '')}.iso`;
    const base = this.imageBaseUrl(request);
    const urlToken = await this.urlToken(infraEnv, request);
    return urlToken ? `${base}/${urlToken.place}/${urlToken.token}/${file}` : `${base}/byid/${id}/${file}`;
  }

  /**
   * Returns the URLs for a network boot. Only the RAM disk contains secrets, so only its URL has a token. Without a
   * request, the image service has the host name of this service.
   */
  async networkBoot(
    infraEnv: InfraEnvDocument,
    request: ImageRequest = this.ownRequest(),
    base = this.imageBaseUrl(request),
  ): Promise<NetworkBootUrls> {
    // A network boot uses the files of a full image, regardless of the image type.
    const version = this.versionOf({ ...infraEnv, type: 'full-iso' });
    const query = new URLSearchParams({ arch: infraEnv.cpu_architecture, version });
    return {
      initrdUrl: await this.urlWithToken(`${base}/images/${infraEnv.id}/pxe-initrd`, infraEnv, query, request),
      kernelUrl: `${base}/boot-artifacts/kernel?${query.toString()}`,
      rootfsUrl: `${base}/boot-artifacts/rootfs?${query.toString()}`,
    };
  }

  /** Returns the URLs for firmware, which may not support TLS: with http when HTTP_LISTEN_PORT is set, as in assisted-service v2. */
  firmwareBoot(infraEnv: InfraEnvDocument, request: ImageRequest): Promise<NetworkBootUrls> {
    return this.networkBoot(infraEnv, request, this.plainBaseUrl(request));
  }

  /** Returns the URL of a file of the infra-env at this service. The URL needs no other credentials. */
  file(infraEnv: InfraEnvDocument, parameters: { readonly [name: string]: string }, request: Asked): Promise<string> {
    const base = this.config.serviceBaseUrl ?? `${request.protocol}://${request.host}`;
    const path = `/api/assisted-install/v2/infra-envs/${infraEnv.id}/downloads/files`;
    return this.urlWithToken(`${base}${path}`, infraEnv, new URLSearchParams(parameters), request);
  }

  private async urlWithToken(
    url: string,
    infraEnv: InfraEnvDocument,
    query: URLSearchParams,
    request: ImageRequest,
  ): Promise<string> {
    const own = new URLSearchParams(query);
    const urlToken = await this.urlToken(infraEnv, request);
    if (urlToken) own.set(urlToken.parameter, urlToken.token);
    return `${url}?${own.toString()}`;
  }

  /** Returns when URLs that are created now expire, ISO 8601; undefined when they do not expire. */
  expiresAt(): string | undefined {
    return this.config.authType === 'oidc' ? new Date(this.imageExpiresAtMs()).toISOString() : undefined;
  }

  /**
   * Returns the token that a URL needs; undefined when none is required, and for callers without write access to the
   * infra-env, because the file contains the token of the agents.
   */
  private async urlToken(
    infraEnv: InfraEnvDocument,
    { caller = ADMIN }: ImageRequest,
  ): Promise<{ readonly place: string; readonly parameter: string; readonly token: string } | undefined> {
    const { clock, secrets } = this;
    const { id: infraEnvId } = infraEnv;
    if (!(await this.ownership.permitsWrite(caller, infraEnv))) return undefined;
    switch (this.config.authType) {
      case 'none':
      case 'agent-installer-local':
        return undefined;
      case 'local': {
        const expiresAtMs = clock.nowMs() + this.config.localTokenLifetimeMs;
        const token = await this.tokens.signForInfraEnv(infraEnvId, expiresAtMs);
        return { place: 'byapikey', parameter: 'api_key', token };
      }
      case 'oidc': {
        const token = await signImageToken(secrets, infraEnvId, this.imageExpiresAtMs());
        return { place: 'bytoken', parameter: 'image_token', token };
      }
      default:
        return this.config.authType satisfies never;
    }
  }

  private ownRequest(): ImageRequest {
    return { hostname: new URL(this.config.serviceBaseUrl ?? 'http://127.0.0.1').hostname };
  }

  private imageExpiresAtMs(): number {
    return this.clock.nowMs() + this.config.imageExpirationMs;
  }

  private versionOf({
    openshift_version: wanted = '',
    cpu_architecture: architecture,
    type,
  }: InfraEnvDocument): string {
    return this.catalogue.findOsImage(wanted, architecture, type)?.openshift_version ?? wanted;
  }

  /** The image service has the host name of the request, unless a setting names another. */
  private imageBaseUrl(request: ImageRequest): string {
    const { imageEndpoint, imageServiceBaseUrl } = this.config;
    return imageServiceBaseUrl ?? `${imageEndpoint.scheme}://${request.hostname}:${imageEndpoint.port}`;
  }

  /** A URL without a port is that of a proxy, which also has the default port of http. */
  private plainBaseUrl(request: ImageRequest): string {
    const base = this.imageBaseUrl(request);
    const port = this.config.plainImagePort;
    if (port === undefined || base.startsWith('http:')) return base;
    return base.replace(/^https:/, 'http:').replace(/^(http:\/\/[^/]*):\d+(?=\/|$)/, `$1:${port}`);
  }
}

const OLDEST_FIRST = new ListOrder<InfraEnvDocument>('created_at');

/** Infra-envs in the shape of the v2 API. */
@Injectable()
export class InfraEnvViews {
  constructor(
    @Inject(READ_MODELS) private readonly readModels: ReadModels,
    private readonly urls: ImageUrls,
    private readonly sealed: SealedTexts,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'componentVersions'>,
    private readonly turns: RenderTurns,
  ) {}

  /** @throws RefusalError `not-found` */
  async document(infraEnvId: string): Promise<InfraEnvDocument> {
    const document = await this.readModels.get(COLLECTIONS.infraEnvs, infraEnvId);
    if (!document) throw noInfraEnv(infraEnvId);
    return document;
  }

  /** @throws RefusalError `not-found` */
  async show(infraEnvId: string, request: FastifyRequest): Promise<V2InfraEnv> {
    return (await this.prepare(await this.document(infraEnvId), request))();
  }

  /** Returns the list as JSON in parts. */
  async list(
    filter: { readonly clusterId?: string; readonly owner?: string },
    isVisible: (infraEnv: InfraEnvDocument) => boolean,
    request: FastifyRequest,
  ): Promise<readonly JsonPiece[]> {
    const where = {
      ...(filter.clusterId ? { cluster_id: filter.clusterId } : {}),
      ...(filter.owner ? { user_name: filter.owner } : {}),
    };
    const documents = await collect(
      findAll(this.readModels, { collection: COLLECTIONS.infraEnvs, where, order: OLDEST_FIRST }),
    );
    return jsonList(await Promise.all(documents.filter(isVisible).map((document) => this.text(document, request))));
  }

  /** Many infra-envs are read and rendered in several turns of the event loop. */
  private async text(document: InfraEnvDocument, request: FastifyRequest): Promise<readonly JsonPiece[]> {
    const render = await this.turns.run(() => this.prepare(document, request));
    return [await this.turns.run(() => JSON.stringify(render()))];
  }

  private async prepare(document: InfraEnvDocument, request: FastifyRequest): Promise<() => V2InfraEnv> {
    const generatorVersion = this.config.componentVersions['assisted-installer-service'];
    const [url, ignitionConfigOverride, staticNetworkConfig, trustBundle] = await Promise.all([
      this.urls.of(document, request),
      this.sealed.of(document.id, document._ignition_override_digest),
      this.staticNetworksOf(document),
      this.sealed.of(document.id, document._trust_bundle_digest),
    ]);
    const download = { url, expiresAt: this.urls.expiresAt(), generatorVersion };
    return () => presentInfraEnv(document, download, { ignitionConfigOverride, staticNetworkConfig, trustBundle });
  }

  /** Returns JSON text; undefined when the infra-env has no static networks. */
  staticNetworksOf(document: InfraEnvDocument): Promise<string | undefined> {
    return this.sealed.of(document.id, document._static_networks_digest);
  }
}
