# Three zones: a coordinator in each, and helpers whose disks keep the copies of a chunk in different zones. A zone can
# be lost without a failed read.

provider "aws" {
  region = var.region
}

module "network" {
  source = "../../modules/network"

  name                = var.name
  zones               = ["${var.region}a", "${var.region}b", "${var.region}c"]
  nat                 = "per-zone"
  interface_endpoints = []
}

module "stores" {
  source = "../../modules/stores"

  stores        = { bucket = { bucket = "${var.bucket_prefix}-bucket" } }
  force_destroy = var.can_be_destroyed
}

module "coordinator" {
  source = "../../modules/coordinator"

  name            = var.name
  vpc_id          = module.network.vpc_id
  subnets         = module.network.subnets
  size            = 3
  ami_id          = var.ami_id
  package_url     = var.package_url
  package_sha256  = var.package_sha256
  stores          = module.stores.stores
  internet_egress = true

  deletion_protection  = !var.can_be_destroyed
  secret_recovery_days = var.can_be_destroyed ? 0 : 30

  administrator_arns = var.administrator_arns
}

module "helpers" {
  source = "../../modules/helper-fleet"

  name                = var.name
  vpc_id              = module.network.vpc_id
  subnets             = module.network.subnets
  size                = 3 * var.helpers_per_zone
  instance_type       = var.helper_type
  ami_id              = var.ami_id
  package_url         = var.package_url
  package_sha256      = var.package_sha256
  stores              = module.stores.stores
  coordinator         = module.coordinator.cluster
  disk_size_gib       = var.disk_size_gib
  disk_final_snapshot = !var.can_be_destroyed
  internet_egress     = true
}

output "helpers" {
  description = "Names of the helpers, which are also the ids of their stores, and their zones."
  value       = module.helpers.helpers
}
