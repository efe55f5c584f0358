import { Controller, Get } from '@nestjs/common';
import { BaseImages, type BaseImageStatus } from './base-images';

/** Which base images there are and how far each of them is; names and sizes only. */
@Controller('base-images')
export class ListBaseImagesController {
  constructor(private readonly images: BaseImages) {}

  @Get()
  list(): readonly BaseImageStatus[] {
    return this.images.list();
  }
}
