import { RequestMetrics } from '@muster/nest-kit';
import { Controller, Get, Header } from '@nestjs/common';
import { BaseImages, type BaseImageStatus } from './base-images/base-images';

@Controller()
export class HealthController {
  /**
   * Ready as soon as the service listens. Base images are checked at their first use, and their errors contain the
   * reason.
   */
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

/** Lists the base images with their download progress. It contains only names and sizes. */
@Controller('base-images')
export class ListBaseImagesController {
  constructor(private readonly images: BaseImages) {}

  @Get()
  list(): readonly BaseImageStatus[] {
    return this.images.list();
  }
}
