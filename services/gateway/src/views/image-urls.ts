import { Inject, Injectable } from '@nestjs/common';
import { type InfraEnvDocument, VersionCatalogue } from '@muster/assisted-api';
import { signImageToken, SECRETS, CLOCK } from '@muster/nest-kit';
import type { Clock, Secrets } from '@muster/ports';
import type { FastifyRequest } from 'fastify';
import { LocalTokens } from '../auth/local-tokens';
import { type GatewayConfig, GATEWAY_CONFIG } from '../config';

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
    @Inject(SECRETS) private readonly secrets: Secrets,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The boot image, of the infra-env's type. */
  async of(infraEnv: InfraEnvDocument, request: Asked): Promise<string> {
    const { id, cpu_architecture: architecture, type } = infraEnv;
    const file = `${this.versionOf(infraEnv)}/${architecture}/${type.replace(/-iso$/, '')}.iso`;
    const base = this.imageBaseUrl(request);
    const proof = await this.proof(id);
    return proof ? `${base}/${proof.place}/${proof.token}/${file}` : `${base}/byid/${id}/${file}`;
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
    const proof = await this.proof(id);
    if (proof) own.set(proof.parameter, proof.token);
    return `${url}?${own.toString()}`;
  }

  /** When addresses that are made now stop to open anything; ISO 8601, undefined where they never do or it is not told. */
  expiresAt(): string | undefined {
    return this.config.authType === 'oidc' ? new Date(this.imageExpiresAtMs()).toISOString() : undefined;
  }

  /** What an address has to carry; undefined where none is asked for. */
  private async proof(
    infraEnvId: string,
  ): Promise<{ readonly place: string; readonly parameter: string; readonly token: string } | undefined> {
    const { clock, secrets } = this;
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

  private imageExpiresAtMs(): number {
    return this.clock.nowMs() + this.config.imageExpirationMs;
  }

  private versionOf({ openshift_version: wanted = '', cpu_architecture: architecture }: InfraEnvDocument): string {
    return this.catalogue.findOsImage(wanted, architecture)?.openshift_version ?? wanted;
  }

  /** Hosts reach the image service at the host name of the request, unless a setting names another. */
  private imageBaseUrl(request: Asked): string {
    return this.config.imageServiceBaseUrl ?? `http://${request.hostname}:${this.config.imageServicePort}`;
  }
}
