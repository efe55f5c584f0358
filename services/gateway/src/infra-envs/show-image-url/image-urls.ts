import { Inject, Injectable } from '@nestjs/common';
import { type InfraEnvDocument, VersionCatalogue } from '@muster/assisted-api';
import type { FastifyRequest } from 'fastify';
import { LocalTokens } from '../../auth/local-tokens';
import { type GatewayConfig, GATEWAY_CONFIG } from '../../config';

type Asked = Pick<FastifyRequest, 'hostname' | 'host' | 'protocol'>;

export interface NetworkBootUrls {
  readonly initrdUrl: string;
  readonly kernelUrl: string;
  readonly rootfsUrl: string;
}

/** Where an infra-env's machines find what they boot from. */
@Injectable()
export class ImageUrls {
  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly catalogue: VersionCatalogue,
    private readonly tokens: LocalTokens,
  ) {}

  /** The boot image, of the infra-env's type. */
  async of(infraEnv: InfraEnvDocument, request: Asked): Promise<string> {
    const { id, cpu_architecture: architecture, type } = infraEnv;
    const file = `${this.versionOf(infraEnv)}/${architecture}/${type.replace(/-iso$/, '')}.iso`;
    if (this.config.authType === 'none') return `${this.imageBaseUrl(request)}/byid/${id}/${file}`;
    return `${this.imageBaseUrl(request)}/byapikey/${await this.tokens.signForInfraEnv(id)}/${file}`;
  }

  /** What a machine without a disc fetches. Only the ramdisk holds secrets, so only its address opens something. */
  async networkBoot(infraEnv: InfraEnvDocument, request: Asked): Promise<NetworkBootUrls> {
    const base = this.imageBaseUrl(request);
    const query = new URLSearchParams({ arch: infraEnv.cpu_architecture, version: this.versionOf(infraEnv) });
    return {
      initrdUrl: await this.opening(`${base}/images/${infraEnv.id}/pxe-initrd`, infraEnv, query),
      kernelUrl: `${base}/boot-artifacts/kernel?${query.toString()}`,
      rootfsUrl: `${base}/boot-artifacts/rootfs?${query.toString()}`,
    };
  }

  /** A file of the infra-env at this service, by an address that opens it without further proof. */
  file(infraEnv: InfraEnvDocument, parameters: { readonly [name: string]: string }, request: Asked): Promise<string> {
    const base = this.config.serviceBaseUrl ?? `${request.protocol}://${request.host}`;
    const path = `/api/assisted-install/v2/infra-envs/${infraEnv.id}/downloads/files`;
    return this.opening(`${base}${path}`, infraEnv, new URLSearchParams(parameters));
  }

  private async opening(url: string, { id }: InfraEnvDocument, query: URLSearchParams): Promise<string> {
    const own = new URLSearchParams(query);
    if (this.config.authType !== 'none') own.set('api_key', await this.tokens.signForInfraEnv(id));
    return `${url}?${own.toString()}`;
  }

  private versionOf({ openshift_version: wanted = '', cpu_architecture: architecture }: InfraEnvDocument): string {
    return this.catalogue.findOsImage(wanted, architecture)?.openshift_version ?? wanted;
  }

  /** Hosts reach the image service where the person reached the API, unless it was said otherwise. */
  private imageBaseUrl(request: Asked): string {
    return this.config.imageServiceBaseUrl ?? `http://${request.hostname}:${this.config.imageServicePort}`;
  }
}
