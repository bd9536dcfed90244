variable "name" {
  type        = string
  description = "Name of the cluster."
  default     = "demo"
}

variable "region" {
  type        = string
  description = "Region of the cluster, with zones a, b and c."
  default     = "eu-central-1"
}

variable "bucket_prefix" {
  type        = string
  description = "Begins the names of the buckets, which are unique in the world."
}

variable "ami_id" {
  type        = string
  description = "Image of the instances with the package cloudmw and Java in it."
}

variable "permissions_boundary_arn" {
  type        = string
  description = "Permissions boundary of the roles; null for none."
  default     = null
}

variable "alarm_topic_arn" {
  type        = string
  description = "SNS topic that is told of alarms; null for none."
  default     = null
}

variable "administrator_arns" {
  type        = set(string)
  description = "Roles and users of IAM that may read and replace the administrator's token."
  default     = []
}
