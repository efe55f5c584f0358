import { Inject, Injectable } from '@nestjs/common';
import { type InfraEnvDocument, VersionCatalogue } from '@muster/assisted-api';
import type { FastifyRequest } from 'fastify';
import { LocalTokens } from '../../auth/local-tokens';
import { type GatewayConfig, GATEWAY_CONFIG } from '../../config';

/** Where the image service serves an infra-env's boot image. */
@Injectable()
export class ImageUrls {
  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly catalogue: VersionCatalogue,
    private readonly tokens: LocalTokens,
  ) {}

  async of(infraEnv: InfraEnvDocument, request: Pick<FastifyRequest, 'hostname'>): Promise<string> {
    const { id, openshift_version: wanted = '', cpu_architecture: architecture, type } = infraEnv;
    const version = this.catalogue.findOsImage(wanted, architecture)?.openshift_version ?? wanted;
    const file = `${version}/${architecture}/${type.replace(/-iso$/, '')}.iso`;
    if (this.config.authType === 'none') return `${this.baseUrl(request)}/byid/${id}/${file}`;
    return `${this.baseUrl(request)}/byapikey/${await this.tokens.signForInfraEnv(id)}/${file}`;
  }

  /** Hosts reach the image service where the person reached the API, unless it was said otherwise. */
  private baseUrl(request: Pick<FastifyRequest, 'hostname'>): string {
    return this.config.imageServiceBaseUrl ?? `http://${request.hostname}:${this.config.imageServicePort}`;
  }
}
