variable "name" {
  type        = string
  description = "Name of the cluster; begins the names of all resources."

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,22}[a-z0-9]$", var.name))
    error_message = "name: expected 2 to 24 of a-z, 0-9 and '-', a letter first and no '-' last."
  }
}

variable "group" {
  type        = string
  description = "What these instances are in the cluster: coordinator, or the name of a fleet of helpers."

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,14}[a-z0-9]$", var.group))
    error_message = "group: expected 2 to 16 of a-z, 0-9 and '-', a letter first and no '-' last."
  }
}

variable "process" {
  type        = string
  description = "The process that the instances run: coordinator or helper."

  validation {
    condition     = contains(["coordinator", "helper"], var.process)
    error_message = "process: expected coordinator or helper."
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

variable "instance_type" {
  type        = string
  description = "Type of the instances."

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

variable "root_device" {
  type        = string
  description = "Name of the root device in the image: /dev/sda1 in Ubuntu, /dev/xvda in Debian."
  default     = "/dev/sda1"

  validation {
    condition     = can(regex("^/dev/[a-z0-9]+$", var.root_device))
    error_message = "root_device: expected a device like /dev/sda1."
  }
}

variable "spot" {
  type        = bool
  description = "Whether the instances are spot instances."
  default     = false
}

variable "root_iops" {
  type        = number
  description = "I/O operations per second of the root volume (gp3)."
  default     = 3000

  validation {
    condition     = var.root_iops >= 3000 && var.root_iops <= 16000
    error_message = "root_iops: expected 3000 to 16000."
  }
}

variable "root_throughput" {
  type        = number
  description = "MiB per second of the root volume (gp3)."
  default     = 125

  validation {
    condition     = var.root_throughput >= 125 && var.root_throughput <= 1000
    error_message = "root_throughput: expected 125 to 1000."
  }
}

variable "kms_key_arn" {
  type        = string
  description = "KMS key that encrypts the volumes; null for the account's key of EBS."
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
}

variable "secret" {
  type = object({
    arn         = string
    kms_key_arn = optional(string)
  })
  description = "The cluster's secret: output secret of the module coordinator."

  validation {
    condition     = can(regex("^arn:[a-z-]+:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:.+$", var.secret.arn))
    error_message = "secret: expected the ARN of a secret in Secrets Manager."
  }
}

variable "identity" {
  type = object({
    authority_arn   = string
    admin_token_arn = string
  })
  description = "What coordinators share besides the secret: the secrets with the cluster's authority and with the administrator's token. Null for helpers, which may read neither."
  default     = null

  validation {
    condition     = alltrue([for arn in try([var.identity.authority_arn, var.identity.admin_token_arn], []) : can(regex("^arn:[a-z-]+:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:.+$", arn))])
    error_message = "identity: expected the ARNs of two secrets in Secrets Manager."
  }

  validation {
    condition     = (var.identity != null) == (var.process == "coordinator")
    error_message = "identity: expected for coordinators, and for nobody else."
  }
}

variable "operator_token" {
  type = object({
    arn         = string
    kms_key_arn = optional(string)
  })
  description = "The secret with the token by which the unit drains its helper; null for none."
  default     = null
}

variable "settings" {
  type        = map(string)
  description = "Settings of the process (docs/configuration.md). In keys and values the instance replaces {id}, {zone} and {instance}."
}

variable "environment" {
  type        = map(string)
  description = "Environment variables of the process."

  validation {
    condition     = alltrue([for key, value in var.environment : can(regex("^[A-Z_][A-Z0-9_]*$", key)) && !can(regex("[\"\\\\\n]", value))])
    error_message = "environment: expected names of A-Z, 0-9 and '_', and values without quotes, backslashes and line feeds."
  }
}

variable "ready_port" {
  type        = number
  description = "Port of /readyz."
}

variable "has_disk" {
  type        = bool
  description = "Whether each instance attaches a free disk of its group and zone before it serves."
  default     = false
}

variable "policies" {
  type        = map(string)
  description = "Further policies of the instance role, JSON by name."
  default     = {}
}

variable "permissions_boundary_arn" {
  type        = string
  description = "Permissions boundary of the instance role; null for none."
  default     = null
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

variable "tags" {
  type        = map(string)
  description = "Tags of all resources."
  default     = {}
}
