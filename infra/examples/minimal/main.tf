# The least that works: two buckets, one coordinator, two helpers without disks, in two zones.

provider "aws" {
  region = var.region
}

module "network" {
  source = "../../modules/network"

  name  = var.name
  zones = ["${var.region}a", "${var.region}b"]

  # Instances fetch Java from Ubuntu's servers, and reach AWS the same way.
  nat                 = "single"
  interface_endpoints = []
}

module "stores" {
  source = "../../modules/stores"

  stores = {
    one = { bucket = "${var.bucket_prefix}-one" }
    two = { bucket = "${var.bucket_prefix}-two" }
  }
  force_destroy = var.can_be_destroyed
}

module "coordinator" {
  source = "../../modules/coordinator"

  name            = var.name
  vpc_id          = module.network.vpc_id
  subnets         = module.network.subnets
  size            = 1
  instance_type   = var.coordinator_type
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

  name            = var.name
  vpc_id          = module.network.vpc_id
  subnets         = module.network.subnets
  size            = 2
  instance_type   = var.helper_type
  ami_id          = var.ami_id
  package_url     = var.package_url
  package_sha256  = var.package_sha256
  stores          = module.stores.stores
  coordinator     = module.coordinator.cluster
  internet_egress = true
}
