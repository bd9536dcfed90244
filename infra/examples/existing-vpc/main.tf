# In a VPC that is there, without a way to the internet: the image has the package, and AWS is reached by endpoints.

provider "aws" {
  region = var.region
}

module "stores" {
  source = "../../modules/stores"

  stores = {
    one = { bucket = "${var.bucket_prefix}-one" }
    two = { bucket = "${var.bucket_prefix}-two" }
  }
}

module "coordinator" {
  source = "../../modules/coordinator"

  name    = var.name
  vpc_id  = var.vpc_id
  subnets = var.subnets
  ami_id  = var.ami_id
  stores  = module.stores.stores

  endpoint_security_group_id = var.endpoint_security_group_id
  endpoint_access            = var.endpoint_security_group_id != null
  internet_egress            = var.endpoint_security_group_id == null

  administrator_arns = var.administrator_arns
}

module "helpers" {
  source = "../../modules/helper-fleet"

  name        = var.name
  vpc_id      = var.vpc_id
  subnets     = var.subnets
  size        = 2 * length(var.subnets)
  ami_id      = var.ami_id
  stores      = module.stores.stores
  coordinator = module.coordinator.cluster

  endpoint_security_group_id = var.endpoint_security_group_id
  endpoint_access            = var.endpoint_security_group_id != null
  internet_egress            = var.endpoint_security_group_id == null
}
