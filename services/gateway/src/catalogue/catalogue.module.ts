import { Module } from '@nestjs/common';
import { CatalogueController } from './catalogue.controller';
import { SupportLevelsController } from './support-levels.controller';
import { ReleaseChoice } from './release-choice';

@Module({
  controllers: [CatalogueController, SupportLevelsController],
  providers: [ReleaseChoice],
  exports: [ReleaseChoice],
})
export class CatalogueModule {}
