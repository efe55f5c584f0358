import { openFileByteSource } from '@muster/adapter-filesystem';
import { PLATFORM, type Platform } from '@muster/nest-kit';
import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { OPEN_IMAGE_FILE } from './base-images/base-image';
import { BaseImages } from './base-images/base-images';
import { CONFIG, type ImageConfig } from './config';
import { DiscoveryImages } from './download/discovery-images';
import { DownloadImageController } from './download/download-image.controller';
import { Downloads } from './download/downloads';
import { ImageAccess } from './download/image-access';
import { ImageResponder } from './download/image-responder';
import { HealthController } from './health/health.controller';
import { ProblemFilter } from './http/problem.filter';

@Module({})
export class AppModule {
  static on(platform: Platform, config: ImageConfig): DynamicModule {
    return {
      module: AppModule,
      controllers: [DownloadImageController, HealthController],
      providers: [
        { provide: PLATFORM, useValue: platform },
        { provide: CONFIG, useValue: config },
        { provide: OPEN_IMAGE_FILE, useValue: openFileByteSource },
        { provide: APP_FILTER, useClass: ProblemFilter },
        BaseImages,
        DiscoveryImages,
        ImageAccess,
        ImageResponder,
        Downloads,
      ],
    };
  }
}
