import { openFileByteSource } from '@muster/adapter-filesystem';
import { type Platform, platformProviders, RequestMetrics } from '@muster/nest-kit';
import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { OPEN_IMAGE_FILE } from './base-images/base-image';
import { BaseImages } from './base-images/base-images';
import { ImageSources } from './base-images/image-sources';
import { ListBaseImagesController } from './base-images/list-base-images.controller';
import { BootArtifacts } from './boot-artifacts/boot-artifacts';
import { BootArtifactsController } from './boot-artifacts/boot-artifacts.controller';
import { CONFIG, type ImageConfig } from './config';
import { DiscoveryImages } from './download/discovery-images';
import { DownloadImageController } from './download/download-image.controller';
import { Downloads } from './download/downloads';
import { ImageAccess } from './download/image-access';
import { ImageResponder } from './download/image-responder';
import { InfraEnvContents } from './download/infra-env-content';
import { HealthController } from './health/health.controller';
import { HostBinariesController } from './host-binaries/host-binaries.controller';
import { FileResponder } from './http/file-responder';
import { ProblemFilter } from './http/problem.filter';
import { createImageMetrics } from './metrics/image-metrics';
import { MetricsController } from './metrics/metrics.controller';
import { NetworkBootController } from './network-boot/network-boot.controller';
import { NetworkBootImages } from './network-boot/network-boot-images';

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
