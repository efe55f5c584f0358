import { openFileByteSource } from '@muster/adapter-filesystem';
import { type Platform, platformProviders, RequestMetrics } from '@muster/nest-kit';
import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { OPEN_IMAGE_FILE } from './base-images/base-image';
import { BaseImages } from './base-images/base-images';
import { ImageSources } from './base-images/image-sources';
import { BootArtifacts, BootArtifactsController } from './boot-artifacts/boot-artifacts';
import { HostBinariesController } from './boot-artifacts/host-binaries.controller';
import { CONFIG, type ImageConfig } from './config';
import { DiscoveryImages } from './download/discovery-images';
import { Downloads } from './download/downloads';
import { ImageAccess } from './download/image-access';
import { DownloadImageController, ImageResponder, NetworkBootController } from './download/images.controller';
import { InImageExecutable } from './download/in-image-executable';
import { InfraEnvContents } from './download/infra-env-content';
import { NetworkBootImages } from './download/network-boot-images';
import { FileResponder } from './http/file-responder';
import { ProblemFilter } from './http/problem.filter';
import { createImageMetrics } from './image-metrics';
import { HealthController, ListBaseImagesController, MetricsController } from './status.controllers';

@Module({})
export class AppModule {
  static on(platform: Platform, config: ImageConfig): DynamicModule {
    return {
      module: AppModule,
      controllers: [
        DownloadImageController,
        NetworkBootController,
        BootArtifactsController,
        HostBinariesController,
        ListBaseImagesController,
        HealthController,
        MetricsController,
      ],
      providers: [
        ...platformProviders(platform),
        { provide: CONFIG, useValue: config },
        { provide: OPEN_IMAGE_FILE, useValue: openFileByteSource },
        { provide: APP_FILTER, useClass: ProblemFilter },
        ImageSources,
        BaseImages,
        BootArtifacts,
        InfraEnvContents,
        InImageExecutable,
        DiscoveryImages,
        NetworkBootImages,
        FileResponder,
        { provide: RequestMetrics, useFactory: createImageMetrics },
        ImageAccess,
        ImageResponder,
        Downloads,
      ],
    };
  }
}
