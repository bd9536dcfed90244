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

variable "coordinator_type" {
  type        = string
  description = "Type of the coordinators' instances."
  default     = "t4g.medium"
}

variable "helper_type" {
  type        = string
  description = "Type of the helpers' instances."
  default     = "m7g.large"
}

variable "can_be_destroyed" {
  type        = bool
  description = "Whether terraform destroy may delete the catalog, the buckets with their objects, and the secret at once."
  default     = false
}

variable "administrator_arns" {
  type        = set(string)
  description = "Roles and users of IAM that may read and replace the administrator's token."
  default     = []
}
