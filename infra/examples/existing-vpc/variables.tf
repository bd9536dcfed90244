variable "name" {
  type        = string
  description = "Name of the cluster."
  default     = "demo"
}

variable "region" {
  type        = string
  description = "Region of the cluster."
  default     = "eu-central-1"
}

variable "vpc_id" {
  type        = string
  description = "The VPC, with routes from its private subnets to S3, DynamoDB, Secrets Manager, Auto Scaling, EC2 and Systems Manager."
}

variable "subnets" {
  type        = map(string)
  description = "Private subnets by availability zone."
}

variable "endpoint_security_group_id" {
  type        = string
  description = "Security group of the VPC's interface endpoints; null if instances reach AWS through NAT."
  default     = null
}

variable "bucket_prefix" {
  type        = string
  description = "Begins the names of the buckets, which are unique in the world."
}

variable "ami_id" {
  type        = string
  description = "Image of the instances with the package cloudmw and Java in it, so that they need no package server."
}

variable "administrator_arns" {
  type        = set(string)
  description = "Roles and users of IAM that may read and replace the administrator's token."
  default     = []
}
