# Replicas in two regions: reads race both, and either region's S3 may fail.

provider "aws" {
  region = var.region
}

provider "aws" {
  alias  = "other"
  region = var.other_region
}

module "network" {
  source = "../../modules/network"

  name  = var.name
  zones = ["${var.region}a", "${var.region}b"]

  # A gateway endpoint leads to the buckets of its own region. The way to another region's is NAT.
  nat                 = "per-zone"
  interface_endpoints = []
}

module "central" {
  source = "../../modules/stores"

  stores = { central = { bucket = "${var.bucket_prefix}-central" } }
}

module "west" {
  source = "../../modules/stores"

  providers = {
    aws = aws.other
  }

  stores = { west = { bucket = "${var.bucket_prefix}-west" } }
}

locals {
  stores = merge(module.central.stores, module.west.stores)
}

module "coordinator" {
  source = "../../modules/coordinator"

  name            = var.name
  vpc_id          = module.network.vpc_id
  subnets         = module.network.subnets
  ami_id          = var.ami_id
  package_url     = var.package_url
  package_sha256  = var.package_sha256
  stores          = local.stores
  internet_egress = true

  administrator_arns = var.administrator_arns
}

module "helpers" {
  source = "../../modules/helper-fleet"

  name            = var.name
  vpc_id          = module.network.vpc_id
  subnets         = module.network.subnets
  size            = 4
  ami_id          = var.ami_id
  package_url     = var.package_url
  package_sha256  = var.package_sha256
  stores          = local.stores
  coordinator     = module.coordinator.cluster
  internet_egress = true
}
