import { Module } from '@nestjs/common';
import { ManifestsController } from './manifests.controller';

@Module({
  controllers: [ManifestsController],
})
export class ManifestsModule {}
