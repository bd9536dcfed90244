variable "name" {
  type        = string
  description = "Name of the cluster; begins the names of all resources."

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,22}[a-z0-9]$", var.name))
    error_message = "name: expected 2 to 24 of a-z, 0-9 and '-', a letter first and no '-' last."
  }
}

variable "vpc_id" {
  type        = string
  description = "VPC of the instances."

  validation {
    condition     = can(regex("^vpc-[0-9a-f]{8,17}$", var.vpc_id))
    error_message = "vpc_id: expected the id of a VPC, like vpc-0123456789abcdef0."
  }
}

variable "subnets" {
  type        = map(string)
  description = "Private subnet of each availability zone: output subnets of the module network."

  validation {
    condition     = length(var.subnets) >= 1 && length(var.subnets) <= 6 && alltrue([for zone, _ in var.subnets : can(regex("^[a-z]{2}(-[a-z]+)+-[0-9][a-z]$", zone))])
    error_message = "subnets: expected 1 to 6, by availability zone, like { eu-central-1a = \"subnet-0123456789abcdef0\" }."
  }

  validation {
    condition     = alltrue([for _, subnet in var.subnets : can(regex("^subnet-[0-9a-f]{8,17}$", subnet))])
    error_message = "subnets: expected ids of subnets, like subnet-0123456789abcdef0."
  }
}

variable "size" {
  type        = number
  description = "Number of coordinators. All of them serve; any one suffices."
  default     = 3

  validation {
    condition     = var.size >= 1 && var.size <= 9 && floor(var.size) == var.size
    error_message = "size: expected a whole number, 1 to 9."
  }
}

variable "instance_type" {
  type        = string
  description = "Type of the instances."
  default     = "t4g.medium"

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]*\\.[a-z0-9-]+$", var.instance_type))
    error_message = "instance_type: expected a type like m7g.large."
  }
}

variable "ami_id" {
  type        = string
  description = "Image of the instances: Debian or Ubuntu with systemd, Python 3 and the SSM agent. Null: Ubuntu 24.04 for the instance type's processor, the newest at each plan."
  default     = null

  validation {
    condition     = var.ami_id == null || can(regex("^ami-[0-9a-f]{8,17}$", var.ami_id))
    error_message = "ami_id: expected the id of an image, like ami-0123456789abcdef0."
  }
}

variable "root_device" {
  type        = string
  description = "Name of the root device in the image: /dev/sda1 in Ubuntu, /dev/xvda in Debian."
  default     = "/dev/sda1"

  validation {
    condition     = can(regex("^/dev/[a-z0-9]+$", var.root_device))
    error_message = "root_device: expected a device like /dev/sda1."
  }
}

variable "package_url" {
  type        = string
  description = "Where instances get the Debian package cloudmw: https://... or s3://BUCKET/KEY. Null: the image has it."
  default     = null

  validation {
    condition     = var.package_url == null || can(regex("^(https://[^/]+/.+|s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/.+)\\.deb$", var.package_url))
    error_message = "package_url: expected https://... or s3://BUCKET/KEY that ends with .deb."
  }
}

variable "package_sha256" {
  type        = string
  description = "SHA-256 of the package, 64 hexadecimal digits. Instances refuse any other. Needed with package_url."
  default     = null

  validation {
    condition     = var.package_sha256 == null || can(regex("^[0-9a-f]{64}$", var.package_sha256))
    error_message = "package_sha256: expected 64 of 0-9 and a-f."
  }

  validation {
    condition     = (var.package_url == null) == (var.package_sha256 == null)
    error_message = "package_sha256: expected together with package_url, and only with it."
  }
}

variable "root_size_gib" {
  type        = number
  description = "Size of the root volume, which has the system, the spool and the cache of switches."
  default     = 40

  validation {
    condition     = var.root_size_gib >= 16 && var.root_size_gib <= 16384 && floor(var.root_size_gib) == var.root_size_gib
    error_message = "root_size_gib: expected a whole number, 16 to 16384."
  }
}

variable "kms_key_arn" {
  type        = string
  description = "KMS key that encrypts the table, the secrets and the volumes; null for AWS's own keys. The service-linked role of Auto Scaling needs a grant for it."
  default     = null

  validation {
    condition     = var.kms_key_arn == null || can(regex("^arn:[a-z-]+:kms:[a-z0-9-]+:[0-9]{12}:key/.+$", var.kms_key_arn))
    error_message = "kms_key_arn: expected the ARN of a KMS key (not of an alias)."
  }
}

variable "stores" {
  type = map(object({
    bucket      = string
    prefix      = string
    region      = string
    kms_key_arn = optional(string)
  }))
  description = "Buckets that the instances may use, each below its prefix: outputs stores of the module stores, merged."
  default     = {}

  validation {
    condition     = alltrue([for _, store in var.stores : can(regex("^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*$", store.prefix))])
    error_message = "stores: expected a prefix without '*' and with words between '/'."
  }
}

variable "fleets" {
  type        = set(string)
  description = "Names of the fleets of helpers: their roles, and the coordinators', are the only ones that may read the secret. Helpers read neither the authority nor the administrator's token."
  default     = ["helpers"]

  validation {
    condition     = length(var.fleets) >= 1 && alltrue([for fleet in var.fleets : can(regex("^[a-z][a-z0-9-]{0,14}[a-z0-9]$", fleet)) && fleet != "coordinator"])
    error_message = "fleets: expected names of 2 to 16 of a-z, 0-9 and '-', a letter first, and not coordinator."
  }
}

variable "administrator_arns" {
  type        = set(string)
  description = "Roles and users of IAM of this account that may read and replace the administrator's token in Secrets Manager. Empty: only the coordinators may, and people read it on one of them."
  default     = []

  validation {
    condition     = alltrue([for arn in var.administrator_arns : can(regex("^arn:[a-z-]+:iam::[0-9]{12}:(role|user)/[^*?]+$", arn))])
    error_message = "administrator_arns: expected ARNs of roles or users of IAM, without '*' and '?'."
  }
}

variable "recovery_days" {
  type        = number
  description = "Days to which the catalog can be taken back (point-in-time recovery)."
  default     = 35

  validation {
    condition     = var.recovery_days >= 1 && var.recovery_days <= 35 && floor(var.recovery_days) == var.recovery_days
    error_message = "recovery_days: expected a whole number, 1 to 35."
  }
}

variable "deletion_protection" {
  type        = bool
  description = "Whether the table and the load balancer refuse to be deleted. Without the table all names of all files are gone."
  default     = true
}

variable "secret_recovery_days" {
  type        = number
  description = "Days for which deleted secrets can be brought back; 0 for none, so that their names can be used again at once."
  default     = 30

  validation {
    condition     = var.secret_recovery_days == 0 || (var.secret_recovery_days >= 7 && var.secret_recovery_days <= 30)
    error_message = "secret_recovery_days: expected 0, or 7 to 30."
  }
}

variable "settings" {
  type        = map(string)
  description = "Further settings of the process (docs/configuration.md, \"Coordinator\")."
  default     = {}

  validation {
    condition     = alltrue([for key, value in var.settings : can(regex("^(coordinator|process)\\.[a-z0-9.-]+$", key)) && !can(regex("\n", value))])
    error_message = "settings: expected keys that begin with coordinator. or process., and values of one line."
  }
}

variable "environment" {
  type        = map(string)
  description = "Further environment variables of the process, like CLOUDMW_LOG_LEVEL."
  default     = {}

  validation {
    condition     = alltrue([for key, value in var.environment : can(regex("^[A-Z_][A-Z0-9_]*$", key)) && !can(regex("[\"\\\\\n]", value))])
    error_message = "environment: expected names of A-Z, 0-9 and '_', and values without quotes, backslashes and line feeds."
  }
}

variable "permissions_boundary_arn" {
  type        = string
  description = "Permissions boundary of the instance role; null for none."
  default     = null

  validation {
    condition     = var.permissions_boundary_arn == null || can(regex("^arn:[a-z-]+:iam::([0-9]{12}|aws):policy/.+$", var.permissions_boundary_arn))
    error_message = "permissions_boundary_arn: expected the ARN of a policy of IAM."
  }
}

variable "endpoint_security_group_id" {
  type        = string
  description = "Security group of the VPC's interface endpoints; null without endpoints."
  default     = null

  validation {
    condition     = var.endpoint_security_group_id == null || can(regex("^sg-[0-9a-f]{8,17}$", var.endpoint_security_group_id))
    error_message = "endpoint_security_group_id: expected the id of a security group."
  }
}

variable "endpoint_access" {
  type        = bool
  description = "Whether there is an endpoint_security_group_id (its value may be known only after apply)."
  default     = false
}

variable "internet_egress" {
  type        = bool
  description = "Whether instances may open connections to ports 80 and 443 of any address: package servers, buckets of other regions, AWS without interface endpoints. Nothing may connect to them either way."
  default     = false
}

variable "metrics_security_group_id" {
  type        = string
  description = "Security group of what scrapes /metrics; null for nobody."
  default     = null

  validation {
    condition     = var.metrics_security_group_id == null || can(regex("^sg-[0-9a-f]{8,17}$", var.metrics_security_group_id))
    error_message = "metrics_security_group_id: expected the id of a security group."
  }
}

variable "wait_for_capacity_timeout" {
  type        = string
  description = "How long apply waits until all instances serve; 0 for not at all."
  default     = "20m"

  validation {
    condition     = can(regex("^(0|[0-9]+[smh])$", var.wait_for_capacity_timeout))
    error_message = "wait_for_capacity_timeout: expected a time like 20m, or 0."
  }
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
