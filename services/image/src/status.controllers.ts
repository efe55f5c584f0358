import { RequestMetrics } from '@muster/nest-kit';
import { Controller, Get, Header } from '@nestjs/common';
import { BaseImages, type BaseImageStatus } from './base-images/base-images';

@Controller()
export class HealthController {
  /** Ready as soon as it listens: a base image is looked at when it is first asked for, and its own errors say what is wrong. */
  @Get('health')
  health(): { readonly status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('live')
  live(): { readonly status: 'ok' } {
    return { status: 'ok' };
  }
}

@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: RequestMetrics) {}

  @Get()
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  render(): Promise<string> {
    return this.metrics.registry.metrics();
  }
}

/** Which base images there are and how far each of them is; names and sizes only. */
@Controller('base-images')
export class ListBaseImagesController {
  constructor(private readonly images: BaseImages) {}

  @Get()
  list(): readonly BaseImageStatus[] {
    return this.images.list();
  }
}
