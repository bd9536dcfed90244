variable "name" {
  type        = string
  description = "Name of the cluster."
  default     = "demo"
}

variable "region" {
  type        = string
  description = "Region of the cluster and of the first bucket."
  default     = "eu-central-1"
}

variable "other_region" {
  type        = string
  description = "Region of the second bucket."
  default     = "eu-west-1"
}

variable "bucket_prefix" {
  type        = string
  description = "Begins the names of the buckets, which are unique in the world."
}

variable "ami_id" {
  type        = string
  description = "Image of the instances; null for the newest Ubuntu 24.04."
  default     = null
}

variable "package_url" {
  type        = string
  description = "Where instances get the Debian package cloudmw: https://... or s3://BUCKET/KEY."
}

variable "package_sha256" {
  type        = string
  description = "SHA-256 of the package."
}

variable "administrator_arns" {
  type        = set(string)
  description = "Roles and users of IAM that may read and replace the administrator's token."
  default     = []
}
