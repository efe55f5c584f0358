import { Inject, Injectable } from '@nestjs/common';
import { COLLECTIONS, type InfraEnvDocument, presentInfraEnv, type V2InfraEnv } from '@muster/assisted-api';
import { READ_MODELS } from '@muster/nest-kit';
import type { ReadModels } from '@muster/ports';
import type { FastifyRequest } from 'fastify';
import { type GatewayConfig, GATEWAY_CONFIG } from '../config';
import { ImageUrls } from './image-urls';
import { collect, findAll } from './documents';
import { noInfraEnv } from './not-found';

/** Infra-envs as the contract shows them. */
@Injectable()
export class InfraEnvViews {
  constructor(
    @Inject(READ_MODELS) private readonly readModels: ReadModels,
    private readonly urls: ImageUrls,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'componentVersions'>,
  ) {}

  /** Throws RefusalError `not-found`. */
  async document(infraEnvId: string): Promise<InfraEnvDocument> {
    const document = await this.readModels.get(COLLECTIONS.infraEnvs, infraEnvId);
    if (!document) throw noInfraEnv(infraEnvId);
    return document;
  }

  /** Throws RefusalError `not-found`. */
  async show(infraEnvId: string, request: FastifyRequest): Promise<V2InfraEnv> {
    return this.present(await this.document(infraEnvId), request);
  }

  async list(
    filter: { readonly clusterId?: string; readonly owner?: string },
    isVisible: (infraEnv: InfraEnvDocument) => boolean,
    request: FastifyRequest,
  ): Promise<readonly V2InfraEnv[]> {
    const where = {
      ...(filter.clusterId ? { cluster_id: filter.clusterId } : {}),
      ...(filter.owner ? { user_name: filter.owner } : {}),
    };
    const documents = await collect(
      findAll(this.readModels, { collection: COLLECTIONS.infraEnvs, where, orderBy: { field: 'created_at' } }),
    );
    return Promise.all(documents.filter(isVisible).map((document) => this.present(document, request)));
  }

  private async present(document: InfraEnvDocument, request: FastifyRequest): Promise<V2InfraEnv> {
    const generatorVersion = this.config.componentVersions['assisted-installer-service'];
    return presentInfraEnv(document, { url: await this.urls.of(document, request), generatorVersion });
  }
}
