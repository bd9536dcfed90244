variable "name" {
  type        = string
  description = "Name of the cluster; begins the names of all resources."

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,22}[a-z0-9]$", var.name))
    error_message = "name: expected 2 to 24 of a-z, 0-9 and '-', a letter first and no '-' last."
  }
}

variable "cidr" {
  type        = string
  description = "IPv4 range of the VPC, /16 to /22. Each zone has a sixteenth of it for instances."
  default     = "10.40.0.0/16"

  validation {
    condition     = can(cidrnetmask(var.cidr)) && can(regex("/(16|17|18|19|20|21|22)$", var.cidr))
    error_message = "cidr: expected an IPv4 range like 10.40.0.0/16, /16 to /22."
  }
}

variable "zones" {
  type        = list(string)
  description = "Availability zones with a private subnet each, like [\"eu-central-1a\", \"eu-central-1b\"]."

  validation {
    condition     = length(var.zones) >= 1 && length(var.zones) <= 6 && length(distinct(var.zones)) == length(var.zones)
    error_message = "zones: expected 1 to 6 different zones."
  }

  validation {
    condition     = alltrue([for zone in var.zones : can(regex("^[a-z]{2}(-[a-z]+)+-[0-9][a-z]$", zone))])
    error_message = "zones: expected names of availability zones, like eu-central-1a."
  }
}

variable "nat" {
  type        = string
  description = "NAT gateways, by which instances reach package servers and buckets of other regions: none, single or per-zone."
  default     = "none"

  validation {
    condition     = contains(["none", "single", "per-zone"], var.nat)
    error_message = "nat: expected none, single or per-zone."
  }
}

variable "interface_endpoints" {
  type        = set(string)
  description = "AWS services that instances reach without NAT, each by an interface endpoint in every zone. S3 and DynamoDB always have a gateway endpoint, which costs nothing."
  default     = ["autoscaling", "ec2", "ec2messages", "secretsmanager", "ssm", "ssmmessages"]

  validation {
    condition     = alltrue([for service in var.interface_endpoints : can(regex("^[a-z0-9.-]+$", service))])
    error_message = "interface_endpoints: expected short names of services, like ssm."
  }

  validation {
    condition     = length(setintersection(var.interface_endpoints, ["s3", "dynamodb"])) == 0
    error_message = "interface_endpoints: s3 and dynamodb have gateway endpoints already."
  }
}

variable "flow_log_days" {
  type        = number
  description = "Days for which flow logs of the VPC are kept; 0 for no flow logs."
  default     = 365

  validation {
    condition     = contains([0, 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731], var.flow_log_days)
    error_message = "flow_log_days: expected 0 or a number that CloudWatch takes: 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545 or 731."
  }
}

variable "log_kms_key_arn" {
  type        = string
  description = "KMS key that encrypts the flow logs; null for CloudWatch's own."
  default     = null

  validation {
    condition     = var.log_kms_key_arn == null || can(regex("^arn:[a-z-]+:kms:[a-z0-9-]+:[0-9]{12}:key/.+$", var.log_kms_key_arn))
    error_message = "log_kms_key_arn: expected the ARN of a KMS key."
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
