variable "name" {
  type        = string
  description = "Name of the cluster; begins the names of all resources."

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,22}[a-z0-9]$", var.name))
    error_message = "name: expected 2 to 24 of a-z, 0-9 and '-', a letter first and no '-' last."
  }
}

variable "fleet" {
  type        = string
  description = "Name of this fleet in the cluster: one of the fleets of the module coordinator."
  default     = "helpers"

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,14}[a-z0-9]$", var.fleet)) && var.fleet != "coordinator"
    error_message = "fleet: expected 2 to 16 of a-z, 0-9 and '-', a letter first, and not coordinator."
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
  description = "Number of helpers. With disks a multiple of the number of zones, so that each zone has as many helpers as disks."

  validation {
    condition     = var.size >= 1 && var.size <= 500 && floor(var.size) == var.size
    error_message = "size: expected a whole number, 1 to 500."
  }

  validation {
    condition     = var.disk_size_gib == 0 || var.size % max(1, length(var.subnets)) == 0
    error_message = "size: expected a multiple of the number of zones (subnets), because each zone has its own disks."
  }
}

variable "instance_type" {
  type        = string
  description = "Type of the instances."
  default     = "m7g.large"

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
  description = "KMS key that encrypts disks and root volumes; null for the account's key of EBS. The service-linked role of Auto Scaling needs a grant for it."
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

variable "coordinator" {
  type = object({
    address                         = string
    security_group_id               = string
    load_balancer_security_group_id = string
    client_security_group_id        = string
    secret = object({
      arn         = string
      kms_key_arn = optional(string)
    })
  })
  description = "The cluster: output cluster of the module coordinator."

  validation {
    condition     = can(regex("^.+:[0-9]+$", var.coordinator.address))
    error_message = "coordinator: expected an address like HOST:7400."
  }
}

variable "disk_size_gib" {
  type        = number
  description = "Size of each helper's disk (gp3); 0 for helpers without disks, which only read and write buckets."
  default     = 0

  validation {
    condition     = var.disk_size_gib == 0 || (var.disk_size_gib >= 8 && var.disk_size_gib <= 16384 && floor(var.disk_size_gib) == var.disk_size_gib)
    error_message = "disk_size_gib: expected 0, or a whole number from 8 to 16384."
  }
}

variable "disk_iops" {
  type        = number
  description = "I/O operations per second of each disk; null for what the instance type sustains, 3000 to 16000."
  default     = null

  validation {
    condition     = var.disk_iops == null || (coalesce(var.disk_iops, 3000) >= 3000 && coalesce(var.disk_iops, 3000) <= 16000)
    error_message = "disk_iops: expected 3000 to 16000."
  }
}

variable "disk_throughput" {
  type        = number
  description = "MiB per second of each disk; null for what the instance type sustains, 125 to 1000."
  default     = null

  validation {
    condition     = var.disk_throughput == null || (coalesce(var.disk_throughput, 125) >= 125 && coalesce(var.disk_throughput, 125) <= 1000)
    error_message = "disk_throughput: expected 125 to 1000."
  }
}

variable "disk_final_snapshot" {
  type        = bool
  description = "Whether a disk that Terraform deletes leaves a snapshot."
  default     = true
}

variable "failure_domain" {
  type        = string
  description = "What the disks of a zone share for placement: zone keeps the copies of a chunk in different zones where it can, helper only on different helpers."
  default     = "zone"

  validation {
    condition     = contains(["zone", "helper"], var.failure_domain)
    error_message = "failure_domain: expected zone or helper."
  }
}

variable "operator_token" {
  type = object({
    arn         = string
    kms_key_arn = optional(string)
  })
  description = "A secret of yours in Secrets Manager whose value is a token of a subject with the role operator (cloudmw token create, cloudmw grant SUBJECT --role operator). The instances of the fleet may read it, and drain themselves by it. Needed with stop_drains."
  default     = null

  validation {
    condition     = var.operator_token == null || can(regex("^arn:[a-z-]+:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:.+$", var.operator_token.arn))
    error_message = "operator_token: expected the ARN of a secret in Secrets Manager."
  }
}

variable "stop_drains" {
  type        = bool
  description = "Whether an instance that ends first has the copies on its disk made elsewhere (up to an hour). Without it the disk goes to the successor with its copies."
  default     = false

  validation {
    condition     = !var.stop_drains || var.operator_token != null
    error_message = "stop_drains: expected with operator_token, by which an instance drains its helper."
  }
}

variable "switch_volumes" {
  type        = set(string)
  description = "Volumes for which the helpers are switches; * for all."
  default     = []

  validation {
    condition     = alltrue([for volume in var.switch_volumes : volume == "*" || can(regex("^[a-z0-9][a-z0-9-]{0,62}$", volume))])
    error_message = "switch_volumes: expected names of volumes, or *."
  }
}

variable "cache_disk_gib" {
  type        = number
  description = "What a switch may cache on its root volume; 0 for nothing."
  default     = 0

  validation {
    condition     = var.cache_disk_gib >= 0 && floor(var.cache_disk_gib) == var.cache_disk_gib
    error_message = "cache_disk_gib: expected a whole number, 0 or more."
  }

  validation {
    condition     = var.cache_disk_gib + 24 <= var.root_size_gib || var.cache_disk_gib == 0
    error_message = "cache_disk_gib: expected at least 24 GiB less than root_size_gib, for the system and the spool."
  }
}

variable "spot" {
  type        = bool
  description = "Whether the helpers are spot instances. A helper that gets notice leaves the cluster within the two minutes."
  default     = false

  validation {
    condition     = !var.spot || var.warm_pool_size == 0
    error_message = "spot: EC2 has no warm pools of spot instances; set warm_pool_size to 0."
  }

  validation {
    condition     = !var.spot || !var.stop_drains
    error_message = "spot: two minutes are too short to drain a disk; set stop_drains to false."
  }
}

variable "warm_pool_size" {
  type        = number
  description = "Stopped instances with everything installed, which take the place of others within a minute."
  default     = 0

  validation {
    condition     = var.warm_pool_size >= 0 && var.warm_pool_size <= 100 && floor(var.warm_pool_size) == var.warm_pool_size
    error_message = "warm_pool_size: expected a whole number, 0 to 100."
  }
}

variable "refresh_alarms" {
  type        = list(string)
  description = "Names of CloudWatch alarms that stop an instance refresh and roll it back."
  default     = []

  validation {
    condition     = length(var.refresh_alarms) <= 10
    error_message = "refresh_alarms: expected at most 10."
  }
}

variable "settings" {
  type        = map(string)
  description = "Further settings of the process (docs/configuration.md, \"Helper\")."
  default     = {}

  validation {
    condition     = alltrue([for key, value in var.settings : can(regex("^(helper|process)\\.[a-z0-9.-]+$", key)) && !can(regex("\n", value))])
    error_message = "settings: expected keys that begin with helper. or process., and values of one line."
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
