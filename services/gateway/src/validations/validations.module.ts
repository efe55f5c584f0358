import { Module } from '@nestjs/common';
import { OverridesController } from './overrides.controller';
import { PreviewsController } from './previews.controller';
import { ValidationsController } from './validations.controller';
import { CatalogueModule } from '../catalogue/catalogue.module';

@Module({
  imports: [CatalogueModule],
  controllers: [OverridesController, PreviewsController, ValidationsController],
})
export class ValidationsModule {}
