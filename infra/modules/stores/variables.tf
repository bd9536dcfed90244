variable "stores" {
  type = map(object({
    bucket = string
    prefix = optional(string, "cloudmw")
  }))
  description = "Buckets of one region, by the id that the store has in the cluster. A second region is a second call of this module with that region's provider."

  validation {
    condition     = length(var.stores) >= 1 && alltrue([for id, _ in var.stores : can(regex("^[a-z0-9][a-z0-9-]{0,62}$", id))])
    error_message = "stores: expected at least one, with ids of 1 to 63 of a-z, 0-9 and '-'."
  }

  validation {
    condition     = alltrue([for _, store in var.stores : can(regex("^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$", store.bucket))])
    error_message = "stores: a bucket is 3 to 63 of a-z, 0-9 and '-'."
  }

  validation {
    condition     = alltrue([for _, store in var.stores : can(regex("^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*$", store.prefix))])
    error_message = "stores: a prefix is one or more words with '/' between, and begins and ends with none."
  }

  validation {
    condition     = length(distinct([for _, store in var.stores : store.bucket])) == length(var.stores)
    error_message = "stores: each store needs a bucket of its own: two stores in one bucket fail together."
  }
}

variable "kms_key_arn" {
  type        = string
  description = "KMS key of this region that encrypts the buckets; null for keys of S3 (SSE-S3)."
  default     = null

  validation {
    condition     = var.kms_key_arn == null || can(regex("^arn:[a-z-]+:kms:[a-z0-9-]+:[0-9]{12}:key/.+$", var.kms_key_arn))
    error_message = "kms_key_arn: expected the ARN of a KMS key (not of an alias)."
  }
}

variable "abort_uploads_after_days" {
  type        = number
  description = "Days after which S3 deletes the parts of uploads that were never completed."
  default     = 7

  validation {
    condition     = var.abort_uploads_after_days >= 1 && var.abort_uploads_after_days <= 365 && floor(var.abort_uploads_after_days) == var.abort_uploads_after_days
    error_message = "abort_uploads_after_days: expected a whole number, 1 to 365."
  }
}

variable "log_bucket" {
  type        = string
  description = "Bucket that gets the access logs of these; null for none."
  default     = null

  validation {
    condition     = var.log_bucket == null || can(regex("^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$", var.log_bucket))
    error_message = "log_bucket: expected the name of a bucket."
  }
}

variable "force_destroy" {
  type        = bool
  description = "Whether terraform destroy deletes buckets that have objects. All files of the cluster are then gone."
  default     = false
}

variable "tags" {
  type        = map(string)
  description = "Tags of all resources."
  default     = {}

  validation {
    condition     = alltrue([for key, _ in var.tags : !startswith(key, "aws:") && !startswith(key, "cloudmw:")])
    error_message = "tags: keys that begin with aws: or cloudmw: are reserved."
  }
}
